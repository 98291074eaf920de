"""Model states against the published estimators of DeepSpeed and Megatron: no fitting here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.memory.models import find
from bot.memory.shape import Shape
from bot.memory.states import states, zero2, zero3
from bot.memory.units import Bytes
from bot.memory.workload import Backend, Layout, Role

RECORDED = json.loads((Path(__file__).parent / "megatron_report.json").read_bytes())


def shape(name: str) -> Shape:
    model = find(name)
    assert model is not None
    return model.shape


@pytest.mark.parametrize("row", RECORDED["rows"], ids=lambda row: str(row["model"]))
def test_megatron_states_equal_its_own_report(row: dict[str, object]) -> None:
    sizes = row["layout"]
    assert isinstance(sizes, dict)
    role = Role(
        name="actor",
        shape=shape(str(row["model"])),
        head="language",
        trained=True,
        backend="megatron",
        layout=Layout(**sizes),
        weight_bytes=2.0,
        gradient_bytes=4.0,
        optimizer_bytes=12.0,
    )
    made = states(role)
    total = (made.weights + made.gradients + made.optimizer).count
    assert total == pytest.approx(row["bytes"], abs=16)


def test_context_parallel_ranks_share_the_optimizer() -> None:
    """They hold the same weights and differ in tokens alone."""
    qwen = shape("Qwen3-8B")

    def optimizer(**sizes: int) -> Bytes:
        return states(
            Role(
                name="actor",
                shape=qwen,
                head="language",
                trained=True,
                backend="megatron",
                layout=Layout(**sizes),
                optimizer_bytes=12.0,
            )
        ).optimizer

    assert optimizer(gpus=8, tensor=2, context=4) == optimizer(gpus=8, tensor=2)
    assert optimizer(gpus=8, tensor=2, context=4).count == pytest.approx(
        optimizer(gpus=2, tensor=2).count / 4, abs=8
    )


# estimate_zero2_model_states_mem_needs and estimate_zero3_model_states_mem_needs of DeepSpeed
# 0.19.8 (runtime/zero/stage_1_and_2.py, stage3.py), called by hand: parameters, largest layer,
# GPUs, then the bytes of one GPU with everything on it, with the optimizer on the host, and (for
# stage 3) with the parameters there too.
@pytest.mark.parametrize(
    ("parameters", "largest", "gpus", "two", "two_off", "three", "three_off", "three_all"),
    [
        (2_851_000_000, 32_000_000, 1, 57_020_000_000, 5_702_000_000, 51_446_000_000,
         5_830_000_000, 128_000_000),
        (2_851_000_000, 32_000_000, 16, 8_909_375_000, 5_702_000_000, 3_335_375_000,
         484_375_000, 128_000_000),
        (7_615_616_512, 544_997_376, 8, 32_366_370_176, 15_231_233_024, 19_315_126_656,
         4_083_893_632, 2_179_989_504),
    ],
)  # fmt: skip
def test_zero_states_equal_deepspeeds_estimators(
    parameters: int,
    largest: int,
    gpus: int,
    two: int,
    two_off: int,
    three: int,
    three_off: int,
    three_all: int,
) -> None:
    assert zero2(parameters, gpus, offload=False) == Bytes(two)
    assert zero2(parameters, gpus, offload=True) == Bytes(two_off)
    assert zero3(parameters, largest, gpus, offload=False, offload_weights=False) == Bytes(three)
    assert zero3(parameters, largest, gpus, offload=True, offload_weights=False) == Bytes(three_off)
    assert zero3(parameters, largest, gpus, offload=True, offload_weights=True) == Bytes(three_all)


@pytest.mark.parametrize(
    ("backend", "per_gpu"),
    [("zero1", 4 + 16 / 8), ("zero2", 2 + 18 / 8), ("zero3", 20 / 8), ("ddp", 20.0)],
)
def test_what_each_stage_of_zero_divides(backend: Backend, per_gpu: float) -> None:
    of = shape("Qwen2.5-7B")
    role = Role(
        name="actor",
        shape=of,
        head="language",
        trained=True,
        backend=backend,
        layout=Layout(gpus=8, shard=8),
        weight_bytes=2.0,
        gradient_bytes=2.0,
        optimizer_bytes=12.0,
        step_bytes=4.0,
    )
    made = states(role)
    everything = made.weights + made.gradients + made.optimizer + made.step
    assert everything.count == pytest.approx(per_gpu * of.parameters, abs=8)


def test_verl_needs_twenty_bytes_a_parameter() -> None:
    role = Role(
        name="actor",
        shape=shape("Qwen2.5-7B"),
        head="language",
        trained=True,
        backend="fsdp",
        layout=Layout(gpus=2, shard=2),
    )
    made = states(role)
    everything = made.weights + made.gradients + made.optimizer + made.step
    assert round(everything.in_gib, 1) == 70.9
