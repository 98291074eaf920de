from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "rollout-parallel-size"
R = "actor_rollout_ref.rollout"
OWN = ("verl.trainer.main_ppo", "verl_train")
TP = f"{R}.tensor_model_parallel_size"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(f"{TP}=4"),  # 28 heads
        verl(f"{TP}=8", "actor_rollout_ref.model.path=my/own"),
        verl(f"{TP}=8", "actor_rollout_ref.model.path=Qwen/Qwen3-8B"),
        verl(f"{TP}=$TP"),
        verl(f"{TP}=3", "trainer.nnodes=$N"),
        verl(f"{TP}=3", f"{R}.name=hf"),
        verl(f"{TP}=3", f"{R}.nnodes=1"),  # GPUs of its own
        verl(f"{TP}=2", f"{R}.data_parallel_size=2"),
        verl(f"{TP}=2", f"{R}.data_parallel_size=3", before="# verl: 0.4.1"),  # not a key then
        verl(f"{TP}=4").replace(*OWN),
        verl(f"{TP}=16", f"{R}.name=hf").replace(*OWN),
        verl(f"{TP}=16", "actor_rollout_ref.model.path=my/own").replace(*OWN),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{TP}=3"),
        verl(f"{TP}=16"),
        verl(f"{TP}=8"),  # 28 heads
        verl(f"{TP}=2", "trainer.n_gpus_per_node=1"),
        verl(f"{TP}=2", f"{R}.data_parallel_size=3", "trainer.nnodes=2"),
        verl(f"{TP}=5", before="# verl: 0.4.1"),
        verl(f"{TP}=3").replace(*OWN),  # tjujingzong/OpsAgent-RL's, on three GPUs
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    "settings",
    [
        (f"{R}.tensor_model_parallel_size=4", f"{R}.expert_parallel_size=4"),
        (
            f"{R}.tensor_model_parallel_size=2",
            f"{R}.data_parallel_size=4",
            f"{R}.expert_parallel_size=8",
        ),
        (f"{R}.expert_parallel_size=1",),
        (f"{R}.expert_parallel_size=$EP",),
        (f"{R}.pipeline_model_parallel_size=1",),
        # TensorRT-LLM divides them another way.
        (f"{R}.name=trtllm", f"{R}.expert_parallel_size=4"),
        (f"+{R}.moe_tensor_parallel_size=1",),
        (f"+{R}.moe_tensor_parallel_size=null",),
        (f"+{R}.moe_tensor_parallel_size=$SIZE",),
        (f"{R}.name=$ENGINE", f"+{R}.moe_tensor_parallel_size=2"),
        (f"{R}.name=trtllm", f"+{R}.moe_tensor_parallel_size=2"),  # the experts' own size follows
        (
            f"{R}.name=trtllm",
            f"{R}.tensor_model_parallel_size=4",
            f"{R}.expert_parallel_size=2",
            f"+{R}.moe_tensor_parallel_size=2",
        ),
    ],
)
def test_experts_and_pipelines_that_a_rollout_takes(settings: tuple[str, ...]) -> None:
    assert quiet(SLUG, verl(*settings))


@pytest.mark.parametrize(
    "settings",
    [
        # verl's own run_qwen3_30b_a3b_megatron.sh with its defaults.
        (f"{R}.tensor_model_parallel_size=4", f"{R}.expert_parallel_size=2"),
        (f"{R}.pipeline_model_parallel_size=2",),
        # huangyiqian-h1kk/verl_qwen3_30b_a3b_rlvr's run_qwen3_30b_a3b_megatron.sh.
        (f"{R}.tensor_model_parallel_size=4", f"+{R}.moe_tensor_parallel_size=2"),
        (
            f"{R}.name=trtllm",
            f"{R}.tensor_model_parallel_size=2",
            f"{R}.expert_parallel_size=2",
            f"+{R}.moe_tensor_parallel_size=2",
        ),
    ],
)
def test_experts_and_pipelines_that_it_refuses(
    settings: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    assert marked(SLUG, verl(*settings)) == snapshot
