from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "long-context"
A = "actor_rollout_ref.actor"
LENGTHS = ("data.max_prompt_length=2048", "data.max_response_length=32768")


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(*LENGTHS, f"{A}.fsdp_config.ulysses_sequence_parallel_size=4"),
        verl(*LENGTHS, f"{A}.ulysses_sequence_parallel_size=2"),
        verl(*LENGTHS, "trainer.n_gpus_per_node=1"),
        verl(*LENGTHS, "model_engine=megatron"),
        verl("data.max_response_length=$LENGTH"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(*LENGTHS),
        # What the workers of 0.7 read of the two.
        verl(*LENGTHS, before="# verl: 0.7.1"),
        verl(*LENGTHS, f"{A}.fsdp_config.ulysses_sequence_parallel_size=4", before="# verl: 0.7.1"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
