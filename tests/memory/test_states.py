"""Model states against the published estimators of DeepSpeed and Megatron: no fitting here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.memory.components.states import states
from bot.memory.shapes.models import find
from bot.memory.shapes.shape import Shape
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
# 0.19.8 (runtime/zero/stage_1_and_2.py, stage3.py), called by hand for the 7,615,616,512 parameters
# of Qwen2.5-7B on 8 GPUs with nothing offloaded: bytes of one GPU. For ZeRO-3 they hold 4 bytes of
# each parameter of the largest layer (544,997,376); the estimate has those as gathered weights.
_ZERO2 = 32_366_370_176
_ZERO3 = 19_315_126_656 - 4 * 544_997_376


def _with_zero(backend: Backend) -> Role:
    return Role(
        name="actor",
        shape=shape("Qwen2.5-7B"),
        head="language",
        trained=True,
        backend=backend,
        layout=Layout(gpus=8, shard=8),
        weight_bytes=2.0,
        gradient_bytes=2.0,
        optimizer_bytes=12.0,
        step_bytes=4.0,
    )


def _everything(role: Role) -> Bytes:
    held = states(role)
    return held.weights + held.gradients + held.optimizer + held.step


def test_zero_2_is_two_bytes_a_parameter_above_deepspeeds_estimator() -> None:
    # The flat copy of gradients, while the step makes it fp32.
    role = _with_zero("zero2")
    more = 2 * role.parameters / 8
    assert _everything(role).count == pytest.approx(_ZERO2 + more, abs=8)


def test_zero_3_is_four_bytes_a_parameter_above_deepspeeds_estimator() -> None:
    # Gradients, and their flat copy while the step makes them fp32.
    role = replace(_with_zero("zero3"), step_bytes=0.0)
    more = 4 * role.parameters / 8
    assert _everything(role).count == pytest.approx(_ZERO3 + more, abs=8)


@pytest.mark.parametrize(
    ("backend", "per_gpu"),
    [("zero1", 4 + 12 / 8), ("zero2", 2 + 20 / 8), ("zero3", 24 / 8), ("ddp", 20.0)],
)
def test_what_each_stage_of_zero_divides(backend: Backend, per_gpu: float) -> None:
    role = _with_zero(backend)
    assert _everything(role).count == pytest.approx(per_gpu * role.parameters, abs=8)


def test_zero_3_steps_a_group_of_parameters_after_the_other() -> None:
    one, two = (
        states(replace(_with_zero("zero3"), layout=Layout(gpus=gpus, shard=gpus)))
        for gpus in (2, 4)
    )
    assert one.step == two.step == Bytes(8 * 10**9)
    assert one.optimizer == two.optimizer * 2


def test_verl_needs_twenty_bytes_a_parameter() -> None:
    role = Role(
        name="actor",
        shape=shape("Qwen2.5-7B"),
        head="language",
        trained=True,
        backend="fsdp",
        layout=Layout(gpus=2, shard=2),
    )
    assert round(_everything(role).in_gib, 1) == 70.9
