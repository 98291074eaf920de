"""Sequences that GPUs share out by accelerate's options, by what `rlbot estimate` prints."""

from __future__ import annotations

from typing import Any

import pytest

from tests.memory.printed import component, printed
from tests.memory.test_printed_trl import trl

PACKED = "--max_length 65536 --packing true --per_device_train_batch_size 1 --loss_type nll"
ULYSSES = "--use_deepspeed --zero_stage 3 --parallelism_config_sp_backend deepspeed"
RING = "--use_fsdp --fsdp_version 2"


def _shared(launcher: str, flags: str = PACKED, gpus: int = 4) -> dict[str, Any]:
    return trl("sft", flags, release="1.0.0", gpus=gpus, launcher=launcher)


@pytest.mark.parametrize(
    ("launcher", "option", "ranks"),
    [
        (ULYSSES, "--parallelism_config_sp_size 4", 4),
        (RING, "--parallelism_config_cp_size 2 --parallelism_config_dp_shard_size 2", 2),
        (RING, "--parallelism-config-cp-size=4", 4),
        (RING, "--parallelism_config_dp_shard_size 4", 1),
    ],
)
def test_each_rank_has_its_part_of_a_row(launcher: str, option: str, ranks: int) -> None:
    whole = component(_shared(launcher), "update", "logits")
    shared = component(_shared(f"{launcher} {option}"), "update", "logits")
    assert shared == pytest.approx(whole / ranks, rel=0.02)
    assert component(_shared(launcher), "update", "weights") == pytest.approx(
        component(_shared(f"{launcher} {option}"), "update", "weights")
    )


def test_replicas_have_a_copy_each() -> None:
    twice = _shared(
        f"{RING} --parallelism_config_dp_replicate_size 2 --parallelism_config_dp_shard_size 2"
    )
    whole = component(_shared(RING), "update", "weights")
    assert component(twice, "update", "weights") == pytest.approx(2 * whole, rel=0.01)


def test_heads_are_divided_by_ulysses_alone() -> None:
    # 28 heads.
    apart = _shared(f"{ULYSSES} --parallelism_config_sp_size 8", gpus=8)
    assert "sequence parallel 8 does not divide the model's 28 attention heads" in apart["reason"]
    assert _shared(f"{RING} --parallelism_config_cp_size 8", gpus=8)["reason"] is None


def test_what_is_not_known_or_not_read_is_said() -> None:
    unknown = printed(
        "read -r N\naccelerate launch --use_fsdp --fsdp_version 2 --parallelism_config_cp_size $N"
        f" --num_processes 4 -m trl.scripts.sft --model_name_or_path Qwen/Qwen2.5-7B {PACKED}",
        "--device",
        "h200",
        "--framework",
        "trl@1.0.0",
    )
    assert unknown["reason"].startswith("--parallelism_config_cp_size is not known")
    tensor = _shared(f"{RING} --parallelism_config_tp_size 4", PACKED.replace("65536", "131072"))
    assert tensor["outcome"] == "no prediction"
    assert "--parallelism_config_tp_size" in tensor["reason"]
