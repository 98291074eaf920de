from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "memory-likely-oom"
STATIC = (
    "actor_rollout_ref.actor.use_dynamic_bsz=False",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
    "data.max_prompt_length=1024",
    "data.max_response_length=10240",
    "trainer.nnodes=1",
)
MICRO = "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"


@pytest.mark.parametrize(
    "script",
    [
        verl(*STATIC, f"{MICRO}=4"),
        verl(*STATIC, f"{MICRO}=$n"),
        verl(*STATIC, f"{MICRO}=$n", before="n=64 # 32√ 64√ 96×"),  # it ran
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(*STATIC, f"{MICRO}=64"),
        verl(*STATIC, f"{MICRO}=28"),  # a little less than the card gives
        verl(*STATIC, f"{MICRO}=$n", before="n=64 # 32√ 64×"),
    ],
)
def test_says_what_would_help(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
