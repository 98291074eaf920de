from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "token-limit"
KEY = "actor_rollout_ref.actor.ppo_max_token_len_per_gpu"
SP = "actor_rollout_ref.actor.ulysses_sequence_parallel_size"
LENGTHS = ("data.max_prompt_length=1024", "data.max_response_length=8192")


@pytest.mark.parametrize(
    "script",
    [
        verl(*LENGTHS),
        verl(*LENGTHS, f"{KEY}=9216"),
        verl(*LENGTHS, f"{KEY}=4608", f"{SP}=2"),
        verl(*LENGTHS, f"{KEY}=$TOKENS"),
        verl(*LENGTHS, f"{KEY}=100", "actor_rollout_ref.actor.use_dynamic_bsz=False"),
        verl(*LENGTHS, f"{KEY}=8192", "trainer.val_only=True"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(*LENGTHS, f"{KEY}=8192"),
        verl(*LENGTHS, f"{KEY}=4096", f"{SP}=2"),
        verl("data.max_prompt_length=8192", "data.max_response_length=16384"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
