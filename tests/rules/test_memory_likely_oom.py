from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import found, marked, quiet

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


_ENGINE = (f"{MICRO}=4", "actor_rollout_ref.rollout.tensor_model_parallel_size=1")
_SHARE = "actor_rollout_ref.rollout.gpu_memory_utilization"


def test_a_share_that_holds_no_whole_sequence_stops_the_engine() -> None:
    """The cache of 11,264 tokens is 0.6 GiB; one of 2,048 fits, and that is a note's."""
    (finding,) = found(SLUG, verl(*STATIC, *_ENGINE, f"{_SHARE}=0.18"))
    assert "(engine weights 14.2 + engine cache 0.6), and its share of the H" in finding.message
    short = ("data.max_prompt_length=1024", "data.max_response_length=1024")
    shorter = [one for one in STATIC if not one.startswith("data.")]
    assert quiet(SLUG, verl(*shorter, *short, *_ENGINE, f"{_SHARE}=0.18"))
    assert found("memory-tight", verl(*shorter, *short, *_ENGINE, f"{_SHARE}=0.19"))
    assert quiet("memory-tight", verl(*shorter, *short, *_ENGINE, f"{_SHARE}=0.25"))
