from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "micro-batch-size"
OFF = "actor_rollout_ref.actor.use_dynamic_bsz=False"
MINI = "actor_rollout_ref.actor.ppo_mini_batch_size"
MICRO = "actor_rollout_ref.actor.ppo_micro_batch_size"
SP = "actor_rollout_ref.actor.ulysses_sequence_parallel_size"


@pytest.mark.parametrize(
    "script",
    [
        verl(OFF, f"{MINI}=64", f"{MICRO}=16"),
        verl(OFF, f"{MINI}=64", f"{MICRO}_per_gpu=3"),
        verl(OFF, f"{MINI}=64", f"{MICRO}=4", f"{SP}=2"),
        verl(OFF, f"{MINI}=64", f"{MICRO}=$M"),
        verl(OFF, f"{MINI}=$M", f"{MICRO}=24"),
        verl(OFF, f"{MINI}=64", f"{MICRO}=4", f"{SP}=$SP"),
        verl(f"{MINI}=64", f"{MICRO}=3"),  # sized by tokens
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(OFF, f"{MINI}=64", f"{MICRO}=24"),
        verl(OFF, f"{MINI}=64", f"{MICRO}=4"),
        verl(OFF, f"{MINI}=64", f"{MICRO}=$m", f"{SP}=2", before="m=2"),
        verl(OFF, f"{MINI}=64", f"{MICRO}=3"),
    ],
)
def test_quotes_the_numbers(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
