from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "token-budget"
A = "actor_rollout_ref.actor"
MIN = "# tag: MIN"
RECOMMENDED = "# tag: RECOMMENDED"
LENGTHS = ("data.max_prompt_length=2048", "data.max_response_length=8192")
KEY = f"{A}.ppo_max_token_len_per_gpu"


@pytest.mark.parametrize(
    "script",
    [
        verl(*LENGTHS, f"{KEY}=20480"),
        verl(*LENGTHS, f"{KEY}=10240", f"{A}.fsdp_config.ulysses_sequence_parallel_size=2"),
        verl(*LENGTHS, f"{KEY}=8192"),  # told by token-limit
        verl(*LENGTHS, f"{KEY}=16384", before=MIN),
        verl(*LENGTHS, f"{KEY}=$TOKENS"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(*LENGTHS, f"{KEY}=16384"),
        verl(*LENGTHS, f"{KEY}=8192", f"{A}.fsdp_config.ulysses_sequence_parallel_size=2"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
