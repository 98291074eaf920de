from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "memory-not-minimal"
STATIC = (
    "actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B-Instruct",
    "actor_rollout_ref.actor.use_dynamic_bsz=False",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
    "actor_rollout_ref.rollout.tensor_model_parallel_size=1",
    "data.max_prompt_length=512",
    "data.max_response_length=512",
    "trainer.nnodes=1",
)
PATH = "examples/tuning/0.5b/qwen2.5-0.5b_grpo_8_h100_fsdp_vllm.sh"
EIGHT = "trainer.n_gpus_per_node=8"
BIG = "actor_rollout_ref.model.path=Qwen/Qwen2.5-32B-Instruct"


@pytest.mark.parametrize(
    "script",
    [
        verl(*STATIC, EIGHT),  # no tag
        verl(*STATIC, EIGHT, before="# tag: RECOMMENDED"),
        verl(*STATIC, "trainer.n_gpus_per_node=1", before="# tag: MIN"),
        verl(*STATIC[1:], BIG, EIGHT, before="# tag: MIN"),
        verl(*STATIC, "model_engine=megatron", EIGHT, before="# tag: MIN"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script, PATH)


def test_names_half_the_gpus(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(*STATIC, EIGHT, before="# tag: MIN"), PATH) == snapshot
