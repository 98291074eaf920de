"""Multi-token prediction of verl's Megatron engine: a layer more, and the loss that it makes."""

from __future__ import annotations

from typing import Any

import pytest

from bot.memory.constants import MTP_LOGITS
from tests.memory.printed import component, printed, stage

_MODEL, _ACTOR = "actor_rollout_ref.model", "actor_rollout_ref.actor"
_ON = f"{_MODEL}.mtp.enable=True"
_TRAINED = f"{_MODEL}.mtp.enable_train=True"
GIB = 2**30
VOCAB, HIDDEN, LAYER = 151680, 4096, 176_160_768 + 8_388_608  # MiMo-7B, one layer of it
MATRIX = 2 * HIDDEN**2


def grpo(*settings: str, engine: str = "megatron", gpus: int = 8) -> dict[str, Any]:
    launch = (
        "python3 -m verl.trainer.main_ppo",
        *([f"--config-name=ppo_{engine}_trainer"] if engine == "megatron" else []),
        "algorithm.adv_estimator=grpo",
        f"{_MODEL}.path=XiaomiMiMo/MiMo-7B-RL trainer.n_gpus_per_node=8 trainer.nnodes=1",
        "data.max_prompt_length=1024 data.max_response_length=1024 data.train_batch_size=64",
        f"{_ACTOR}.ppo_mini_batch_size=64 {_ACTOR}.ppo_micro_batch_size_per_gpu=4",
        "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
        "actor_rollout_ref.rollout.name=sglang",
        *settings,
    )
    asked = ("--device", "h200", "--gpus", str(gpus), "--framework", "verl@0.9.0")
    return printed(" ".join(launch), *asked)


def test_a_layer_more_is_in_all_states_and_its_loss_beside_the_models() -> None:
    plain, more, trained = grpo(), grpo(_ON), grpo(_ON, _TRAINED)
    parts = LAYER + MATRIX
    for name, size in (("weights", 2), ("gradients", 4), ("optimizer", 12 / 8)):
        grown = component(more, "update", name) - component(plain, "update", name)
        assert grown == pytest.approx(parts * size / GIB, rel=0.1), name
    assert component(more, "update", "logits") == component(plain, "update", "logits")
    each = component(plain, "update", "logits") / 8.0  # Bytes of a logit without an entropy.
    grown = component(trained, "update", "logits") - component(plain, "update", "logits")
    assert grown == pytest.approx(each * MTP_LOGITS, rel=0.02)
    assert component(trained, "log-prob", "logits") == component(plain, "log-prob", "logits")
    assert "one layer of multi-token prediction" in trained["assumptions"]


def test_it_is_off_by_default_and_without_its_switch() -> None:
    assert grpo(_TRAINED)["stages"] == grpo()["stages"]
    assert grpo(f"{_MODEL}.mtp.enable=False")["stages"] == grpo()["stages"]


def test_a_reference_has_none() -> None:
    kl = f"{_ACTOR}.use_kl_loss=True"
    idle = [component(grpo(kl, *on), "update", "reference, idle") for on in ((), (_ON,))]
    assert idle[0] == idle[1] > 0


def test_a_pipeline_has_it_on_its_last_stage_with_an_embedding() -> None:
    sizes = f"{_ACTOR}.megatron.pipeline_model_parallel_size=2"
    plain, more = grpo(sizes), grpo(sizes, _ON)
    grown = component(more, "update", "weights") - component(plain, "update", "weights")
    assert grown == pytest.approx(2 * (LAYER + MATRIX + VOCAB * HIDDEN) / GIB, rel=0.1)


def test_fused_kernels_are_off_with_it() -> None:
    """`_maybe_enable_fused_kernels` of verl's Megatron engine."""
    fused = f"{_MODEL}.use_fused_kernels=True"
    assert component(grpo(fused), "update", "logits") < 1
    whole = component(grpo(_ON), "update", "logits")
    assert component(grpo(fused, _ON), "update", "logits") == whole


def test_fsdp_has_no_such_layer() -> None:
    """transformers leaves it out as it loads the model."""
    plain, more = grpo(engine="fsdp"), grpo(_ON, _TRAINED, engine="fsdp")
    assert more["stages"] == plain["stages"]
    assert "one layer of multi-token prediction" not in more["assumptions"]


@pytest.mark.parametrize("model", ["zai-org/GLM-4.5-Air", "Qwen/Qwen3.5-35B-A3B"])
def test_of_a_mixture_the_layer_has_experts(model: str) -> None:
    launch = (
        "torchrun --standalone --nproc_per_node=8 -m verl.trainer.sft_trainer engine=megatron "
        "optim=megatron data.train_batch_size=8 data.micro_batch_size_per_gpu=1 "
        "data.max_length=2048 data.pad_mode=no_padding model.use_remove_padding=True "
        f"engine.expert_model_parallel_size=8 model.path={model} "
    )
    asked = ("--device", "b200", "--gpus", "8", "--framework", "verl@0.9.1")
    plain, more = printed(launch, *asked), printed(launch + "model.mtp.enable=True", *asked)
    layers = {"zai-org/GLM-4.5-Air": 46, "Qwen/Qwen3.5-35B-A3B": 40}[model]
    share = stage(more, "update")["components"]["weights"] / component(plain, "update", "weights")
    assert 1 + 0.7 / layers < share < 1 + 1.6 / layers
