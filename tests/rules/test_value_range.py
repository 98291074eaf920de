from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import openrlhf, verl
from tests.rules.helpers import marked, quiet

SLUG = "value-range"
ROLLOUT = "actor_rollout_ref.rollout"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(f"{ROLLOUT}.gpu_memory_utilization=1"),
        verl(f"{ROLLOUT}.gpu_memory_utilization=$SHARE"),
        verl(f"{ROLLOUT}.top_p=1.0"),
        verl("actor_rollout_ref.actor.optim.lr=1e-2"),
        verl("actor_rollout_ref.actor.optim.lr=0"),
        verl("data.train_batch_size=0"),
        verl("rollout.nnodes=0"),
        verl(f"{ROLLOUT}.nnodes=0"),
        verl("data.train_max_samples=-1"),
        verl(f"{ROLLOUT}.n=$N"),
        verl(f"{ROLLOUT}.n=0").replace("verl.trainer.main_ppo", "recipe.async.main"),
        openrlhf("--vllm.num_engines 0"),
        verl(f"{ROLLOUT}.max_model_len=-1"),
        verl(f"{ROLLOUT}.top_k=-1"),
        openrlhf("--actor.adam.lr 5e-7"),
        openrlhf("--ds.zero_stage 3"),
        # A fork's estimator, to which 10 and more is without an end (CW-GRPO).
        verl("algorithm.gamma=100").replace("adv_estimator=grpo", "adv_estimator=cw-grpo"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{ROLLOUT}.gpu_memory_utilization=6"),
        verl(f"{ROLLOUT}.top_p=95"),
        verl("actor_rollout_ref.actor.optim.lr=1e6"),
        verl(f"{ROLLOUT}.tensor_model_parallel_size=-2"),
        verl("data.max_prompt_length=-512"),
        verl("data.max_prompt_length=-1"),
        verl(f"{ROLLOUT}.n=0"),
        verl(f"{ROLLOUT}.n=-1"),
        verl("trainer.n_gpus_per_node=0"),
        verl("trainer.nnodes=$NODES", before="NODES=0"),
        openrlhf("--rollout.n_samples_per_prompt 0"),
        verl("algorithm.gamma=10"),
        openrlhf("--actor.adam.lr 5e7"),
        openrlhf("--ds.zero_stage 4"),
    ],
)
def test_a_number_that_cannot_be_meant(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
