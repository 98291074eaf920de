"""What NCCL holds for groups of ranks, Megatron's logits, adapters that are handed over whole.

Each by what `rlbot estimate` prints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.memory.printed import component, printed, stage
from tests.memory.test_printed import GIB, VOCAB, P, verl

_A, _MODEL = "actor_rollout_ref.actor", "actor_rollout_ref.model"
_ROLLOUT = "actor_rollout_ref.rollout"
_MEGATRON = f"{_A}.megatron"
_SIZES = {
    "tensor": "tensor_model",
    "pipeline": "pipeline_model",
    "context": "context",
    "expert": "expert_model",
}


def megatron(
    *settings: str,
    sizes: Mapping[str, int] | None = None,
    release: str = "0.9.1",
    device: str = "h100",
) -> dict[str, Any]:
    layout = [
        f"{_MEGATRON}.{_SIZES[name]}_parallel_size={size}" for name, size in (sizes or {}).items()
    ]
    return verl(f"{_A}.strategy=megatron", *layout, *settings, release=release, device=device)


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ({}, 2),  # All ranks, and those with the same shard of the optimizer.
        ({"tensor": 4}, 4),  # Tensor- and model-parallel ones besides.
        ({"tensor": 4, "pipeline": 2}, 5),
        ({"tensor": 2, "pipeline": 2}, 6),
        ({"tensor": 2, "pipeline": 2, "context": 2}, 7),
    ],
)
def test_each_of_megatrons_groups_has_buffers(sizes: dict[str, int], groups: int) -> None:
    held = component(megatron(sizes=sizes), "update", "contexts")
    # The trainer's process and the engine's, which has one group.
    assert held == pytest.approx(2 * 0.8 + 0.8 * (groups + 1), abs=0.01)


@pytest.mark.parametrize(("sizes", "groups"), [({"expert": 8}, 4), ({"expert": 4}, 5)])
def test_experts_have_groups_of_their_own(sizes: dict[str, int], groups: int) -> None:
    path = f"{_MODEL}.path=Qwen/Qwen3-30B-A3B"
    held = component(megatron(path, sizes=sizes), "update", "contexts")
    assert held == pytest.approx(2 * 0.8 + 0.8 * (groups + 1), abs=0.01)


def test_fsdp_has_the_group_of_all_ranks() -> None:
    assert component(verl(), "update", "contexts") == pytest.approx(2 * 1.6, abs=0.01)
    assert component(verl(*_ALONE), "update", "contexts") == pytest.approx(1.6)


_ALONE = ("trainer.n_gpus_per_node=1", f"{_ROLLOUT}.tensor_model_parallel_size=1")


def test_hccls_buffers_are_half_as_large() -> None:
    made = megatron(sizes={"tensor": 2, "pipeline": 2}, device="910b")
    assert component(made, "update", "contexts") == pytest.approx(2 * 0.8 + 0.4 * 7, abs=0.01)


_ENTROPY = f"{_A}.entropy_coeff=0.001"
_CHUNKED = f"{_A}.entropy_from_logits_with_chunking=True"


@pytest.mark.parametrize(
    ("release", "settings", "update", "forward"),
    [
        # In fp32; a clone since 0.6, and what a division's backward pass makes.
        ("0.5.0", (), 6, 8),
        ("0.5.0", (_ENTROPY,), 8, 8),
        ("0.7.0", (), 8, 12),
        ("0.7.0", (_ENTROPY,), 12, 12),
        ("0.9.1", (_ENTROPY, _CHUNKED), 8, 8),
        ("0.7.0", (_ENTROPY, _CHUNKED), 12, 12),
    ],
)
def test_megatrons_logits_are_made_fp32(
    release: str, settings: tuple[str, ...], update: int, forward: int
) -> None:
    one = (
        f"{_A}.ppo_micro_batch_size_per_gpu=1",
        f"{_ROLLOUT}.log_prob_micro_batch_size_per_gpu=1",
    )
    long = ("data.max_prompt_length=4096", "data.max_response_length=4096")
    made = megatron(*long, *one, *settings, release=release)
    tokens = 2 * 4096 * VOCAB / GIB
    assert component(made, "update", "logits") == pytest.approx(update * tokens, rel=0.01)
    assert component(made, "log-prob", "logits") == pytest.approx(forward * tokens, rel=0.01)


def test_fine_tuning_on_megatron_divides_its_logits_too() -> None:
    launch = (
        "torchrun --standalone --nproc_per_node=8 -m verl.trainer.sft_trainer engine=megatron"
        " optim=megatron data.train_batch_size=64 data.micro_batch_size_per_gpu=1"
        " data.max_length=8192 data.pad_mode=no_padding model.use_remove_padding=True"
        " model.path=Qwen/Qwen2.5-7B engine.tensor_model_parallel_size=4 trainer.nnodes=1"
    )
    made = printed(launch, "--device", "h100", "--framework", "verl@0.9.1")
    assert component(made, "update", "logits") == pytest.approx(
        8 * 8192 * VOCAB / 4 / GIB, rel=0.01
    )


@pytest.mark.parametrize(
    ("model", "tensor", "targets", "more"),
    [
        # 2 bytes for each of the hidden units of `linear_qkv` and `linear_fc1`, of which each rank
        # had its share: Qwen3-8B, 36 layers of 4096.
        ("Qwen3-8B", 2, "", 36 * 4 * 4096 * (1 - 1 / 2)),
        ("Qwen3-8B", 4, "", 36 * 4 * 4096 * (1 - 1 / 4)),
        ("Qwen3-8B", 2, "linear_qkv,linear_proj", 36 * 2 * 4096 * (1 - 1 / 2)),
        ("Qwen3-8B", 2, "linear_proj,linear_fc2", 0),
        # Routed experts gather nothing: 48 layers of 2048.
        ("Qwen3-30B-A3B", 2, "", 48 * 2 * 2048 * (1 - 1 / 2)),
    ],
)
def test_adapters_on_megatron_keep_gathered_inputs(
    model: str, tensor: int, targets: str, more: float
) -> None:
    def kept(*settings: str) -> float:
        launch = (
            "torchrun --standalone --nproc_per_node=8 -m verl.trainer.sft_trainer engine=megatron"
            " optim=megatron data.train_batch_size=64 data.micro_batch_size_per_gpu=1"
            " data.max_length=8192 data.pad_mode=no_padding model.use_remove_padding=True"
            " model.enable_gradient_checkpointing=False trainer.nnodes=1"
            f" model.path=Qwen/{model} engine.tensor_model_parallel_size={tensor} "
        )
        made = printed(launch + " ".join(settings), "--device", "h200", "--framework", "verl@0.9.1")
        return component(made, "update", "activations")

    lora = ("model.lora.rank=8", f"'model.lora.target_modules=[{targets}]'" if targets else "")
    none = ("model.lora.rank=8", "'model.lora.target_modules=[linear_proj]'")
    assert kept(*lora) - kept(*none) == pytest.approx(8192 * more / GIB, abs=0.011)


_LORA = (f"{_MODEL}.lora_rank=16", f"{_A}.strategy=fsdp")
_LAYERED = f"{_ROLLOUT}.layered_summon=True"
_BF16 = f"{_A}.fsdp_config.model_dtype=bf16"


@pytest.mark.parametrize(
    ("settings", "whole"),
    [
        (_LORA, 8.0),  # With the copy of the first time.
        ((*_LORA, _BF16), 4.0),
        ((*_LORA, f"{_ROLLOUT}.layered_summon=False"), 8.0),
        ((*_LORA, _LAYERED), 0.0),
        ((*_LORA, _LAYERED, f"{_MODEL}.lora.merge=True"), 4.0),
        ((*_LORA, f"{_A}.strategy=fsdp2"), 0.0),
        ((*_LORA, *_ALONE), 4.0),  # One rank's state_dict clones what it has whole already.
        ((*_LORA, _LAYERED, *_ALONE), 0.0),
        ((f"{_A}.strategy=fsdp", *_ALONE), 4.0),
        ((f"{_A}.strategy=fsdp2", *_ALONE), 0.0),
        ((f"{_A}.strategy=fsdp",), 0.0),
    ],
)
def test_fsdp1_hands_weights_over_with_the_whole_model(
    settings: tuple[str, ...], whole: float
) -> None:
    held = component(verl(*settings, release="0.8.0"), "weight sync", "gathered weights")
    if whole:
        assert held == pytest.approx(whole * P, rel=0.01)
    else:  # Embedding and head at most.
        assert held < 4 * P / 3


def test_what_fsdp1_collects_is_there_before_the_engine_wakes() -> None:
    offload = f"{_A}.fsdp_config.param_offload=True"
    adapter = verl(*_LORA, *_ALONE, release="0.7.1")
    assert component(adapter, "weight sync", "weights") == pytest.approx(4 * P, rel=0.02)
    assert component(adapter, "weight sync", "engine weights") == 0
    whole = verl(f"{_A}.strategy=fsdp", *_ALONE, release="0.7.1")
    assert component(whole, "weight sync", "engine weights") == pytest.approx(2 * P, rel=0.01)
    offloaded = verl(f"{_A}.strategy=fsdp", offload, *_ALONE, release="0.7.1")
    assert component(offloaded, "weight sync", "weights") == pytest.approx(4 * P, rel=0.01)
    assert component(offloaded, "weight sync", "engine weights") == 0


_DUMMY = f"{_ROLLOUT}.load_format=dummy"
_EMPTIED = f"{_A}.fsdp_config.param_offload=True"


@pytest.mark.parametrize(
    ("release", "settings"),
    [
        ("0.8.0", (*_LORA, f"{_ROLLOUT}.load_format=safetensors")),
        ("0.5.0", (*_LORA, _LAYERED)),
        ("0.8.0", (*_LORA, f"{_MODEL}.lora.merge=True")),
        ("0.5.0", (*_LORA, f"{_A}.strategy=fsdp2")),
        ("0.5.0", (*_LORA, *_ALONE)),
        ("0.5.0", (f"{_A}.strategy=fsdp", *_ALONE)),
        ("0.5.0", (f"{_A}.strategy=fsdp",)),
    ],
)
def test_what_is_not_copied_while_it_is_whole(release: str, settings: tuple[str, ...]) -> None:
    made = stage(verl(*settings, _EMPTIED, release=release), "weight sync")
    assert made["conservative_gib"] - made["expected_gib"] < 2 * P


@pytest.mark.parametrize("release", ["0.4.1", "0.5.0", "0.6.1", "0.7.1", "0.8.0", "0.9.1"])
@pytest.mark.parametrize(("given", "each"), [((), 4.0), ((_BF16,), 2.0), ((_DUMMY,), 4.0)])
def test_an_adapters_base_is_copied_while_it_is_whole(
    release: str, given: tuple[str, ...], each: float
) -> None:
    """LoRA of 7B on two A100 took 58.4 GiB whatever its lengths, of which the copy is 14.2."""
    copied = stage(verl(*_LORA, _EMPTIED, *given, release=release), "weight sync")
    loaded = f"{_ROLLOUT}.load_format=safetensors"
    without = stage(verl(*_LORA, _EMPTIED, *given, loaded, release=release), "weight sync")
    for level in ("expected_gib", "conservative_gib"):
        assert copied[level] - without[level] == pytest.approx(each * P, rel=0.02)
