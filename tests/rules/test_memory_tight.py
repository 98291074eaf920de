from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "memory-tight"
STATIC = (
    "actor_rollout_ref.actor.use_dynamic_bsz=False",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
    "data.max_prompt_length=512",
    "data.max_response_length=512",
    "actor_rollout_ref.actor.fsdp_config.param_offload=True",
    "actor_rollout_ref.actor.fsdp_config.optimizer_offload=True",
    "trainer.nnodes=1",
)
PATH = "examples/tuning/7b/qwen2.5-7b_grpo_2_h100_fsdp_vllm.sh"


@pytest.mark.parametrize("gpus", [8, "$N"])
def test_stays_silent(gpus: object) -> None:
    assert quiet(SLUG, verl(*STATIC, f"trainer.n_gpus_per_node={gpus}"), PATH)


def test_a_minimal_script_is_tight_by_nature() -> None:
    assert quiet(SLUG, verl(*STATIC, "trainer.n_gpus_per_node=2", before="# tag: MIN"), PATH)


def test_says_the_share(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(*STATIC, "trainer.n_gpus_per_node=2"), PATH) == snapshot


def test_what_only_long_sequences_would_pass_is_not_called_expected(
    snapshot: SnapshotAssertion,
) -> None:
    settings = [one for one in STATIC if "max_response" not in one and "actor.ppo_micro" not in one]
    long = (
        "data.max_response_length=8192",
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=10",
        "actor_rollout_ref.actor.entropy_coeff=0.001",
        "trainer.n_gpus_per_node=8",
    )
    path = PATH.replace("_2_", "_8_")
    assert marked(SLUG, verl(*settings, *long), path) == snapshot
