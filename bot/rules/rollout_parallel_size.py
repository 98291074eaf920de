"""RLB057: the GPUs cannot be divided among the rollout's engines."""

from __future__ import annotations

from math import gcd

from bot.frameworks.plan_values import PlanValues, values_of, version_at_least
from bot.memory.shapes.models import find
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import ENTRY, LIMITS, ROLLOUT, gpus, refuses, trainers

_TP = f"{ROLLOUT}.tensor_model_parallel_size"
_EXPERT = f"{ROLLOUT}.expert_parallel_size"
_EXPERTS_TP = f"{ROLLOUT}.moe_tensor_parallel_size"

META = Meta(
    id="RLB057",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="The rollout's parallel sizes divide the GPUs, or the model's heads, unevenly.",
    why=(
        "Each inference engine takes that many GPUs of those that train. verl's workers stop with "
        "an AssertionError when GPUs are left over, and its configuration at a pipeline, at "
        "experts on fewer GPUs than the engine has, or cut for another engine than TensorRT-LLM. "
        "vLLM and SGLang give each GPU of a tensor-parallel group equally many heads, and stop "
        "otherwise."
    ),
    instead=(
        "Choose a tensor-parallel size of the rollout that divides the number of GPUs, no "
        "pipeline, an expert-parallel size of 1 or tensor × data, and uncut experts "
        "(moe_tensor_parallel_size=1)."
    ),
    limits=(
        f"{LIMITS} Not checked when the rollout has GPUs of its own (rollout.nnodes above 0), nor "
        "for the engine hf, which has no parallel size. The heads are those of a model whose shape "
        "is known by its name, in other programs, too, where the script gives engine and size."
    ),
    source=(
        "ActorRolloutRefWorker in verl/workers/fsdp_workers.py (0.2 to 0.7.1) and "
        "verl/workers/engine_workers.py (since 0.7.0): world_size % infer_world_size == 0; "
        "ModelConfig.verify_with_parallel_config in vllm/config/model.py: heads % tensor size == "
        "0; RolloutConfig in verl/workers/config/rollout.py (since 0.6.0, cut experts since 0.7.1)"
    ),
    example=Example(bad=verl(f"{_TP}=3"), good=verl(f"{_TP}=2")),
)

_KINDS = ("tensor_model", "data", "pipeline_model")


def check(context: RuleContext) -> Hits:
    """Verl's assertion that the GPUs are a multiple of an engine's."""
    yield from _of_own_programs(context)
    for values in trainers(context):
        yield from _kinds(context, values)
        yield from _cut_experts(context, values)
        total, sizes = gpus(values), _sizes(values)
        if not total or not sizes or values.text(f"{ROLLOUT}.name") in (None, "hf"):
            continue
        if values.plan.last(f"{ROLLOUT}.nnodes") or values.plan.last("rollout.nnodes"):
            continue
        size = sizes[0] * sizes[1] * sizes[2]
        if total % size == 0:
            yield from _heads(values, sizes[0])
            continue
        product = (
            message("tensor-parallel size {size}", size=size)
            if sizes[1:] == [1, 1]
            else message(
                "tensor × data × pipeline parallel size {sizes} = {size}",
                sizes=" × ".join(map(str, sizes)),
                size=size,
            )
        )
        yield hit(
            values.place(*(f"{ROLLOUT}.{k}_parallel_size" for k in _KINDS)),
            "the number of GPUs, {gpus}, is no multiple of the rollout's {product}",
            gpus=total,
            product=product,
            help=message("choose sizes whose product divides the number of GPUs"),
        )


def _of_own_programs(context: RuleContext) -> Hits:
    """The engine's check in other programs than verl's, of a size that the script gives it."""
    for plan in context.plans:
        if plan.framework == "verl" and plan.launch.entry != ENTRY and plan.last(_TP) is not None:
            values = values_of(plan)
            size = values.number(_TP)
            if size and values.text(f"{ROLLOUT}.name") in ("vllm", "sglang"):
                yield from _heads(values, size)


def _kinds(context: RuleContext, values: PlanValues) -> Hits:
    """The sizes that verl's configuration of a rollout takes together (since 0.6)."""
    sizes, engine = _sizes(values), values.text(f"{ROLLOUT}.name")
    expert = values.number(_EXPERT)
    if not sizes or not version_at_least(values.plan, 0, 6):
        return
    tensor, data, pipeline = sizes
    if (
        engine in ("vllm", "sglang", "trtllm")
        and pipeline > 1
        and refuses(context, "pipeline_model_parallel_size")
    ):
        yield hit(
            values.place(f"{ROLLOUT}.pipeline_model_parallel_size"),
            "verl's {engine} takes no pipeline: pipeline_model_parallel_size is {size}",
            engine=engine,
            size=pipeline,
            help=message("set {key}=1", key=f"{ROLLOUT}.pipeline_model_parallel_size"),
        )
    uneven = expert is not None and expert > 1 and expert != tensor * data
    if uneven and engine not in (None, "trtllm") and refuses(context, "expert_parallel_size"):
        yield hit(
            values.place(_EXPERT),
            "expert_parallel_size {expert} is not tensor × data parallel size, {tensor} × {data}",
            expert=expert,
            tensor=tensor,
            data=data,
            help=message("set {key}={size}, or 1", key=_EXPERT, size=tensor * data),
        )


def _cut_experts(context: RuleContext, values: PlanValues) -> Hits:
    """The size by which each expert is cut, which TensorRT-LLM alone takes (since 0.7.1)."""
    size, engine = values.number(_EXPERTS_TP), values.text(f"{ROLLOUT}.name")
    if not size or size == 1 or engine is None or not version_at_least(values.plan, 0, 7, 1):
        return
    if engine != "trtllm":
        if refuses(context, "moe_tensor_parallel_size"):
            yield hit(
                values.place(_EXPERTS_TP),
                "moe_tensor_parallel_size is {size}, which verl takes with trtllm alone, not with "
                "{engine}",
                size=size,
                engine=engine,
                help=message("set {key}=1", key=_EXPERTS_TP),
            )
        return
    tensor, expert = values.number(_TP), values.number(_EXPERT) or 1
    uneven = tensor is not None and expert > 1 and size * expert != tensor
    if uneven and refuses(context, "moe_tensor_parallel_size", "expert_parallel_size"):
        yield hit(
            values.place(_EXPERTS_TP, _EXPERT),
            "moe_tensor_parallel_size × expert_parallel_size, {size} × {expert}, is not the "
            "tensor-parallel size {tensor}",
            size=size,
            expert=expert,
            tensor=tensor,
            help=message("choose sizes whose product is {tensor}", tensor=tensor),
        )


def _heads(values: PlanValues, size: int) -> Hits:
    """The engine's check that a tensor-parallel group shares the heads out evenly."""
    model = find(values.plan.model.value or "") if size > 1 else None
    if model is not None and model.shape.heads % size:
        yield hit(
            values.place(_TP),
            "the {heads} attention heads of {model} are no multiple of the rollout's "
            "tensor-parallel size {size}",
            heads=model.shape.heads,
            model=model.name,
            size=size,
            help=message("use {key}={fits}", key=_TP, fits=gcd(model.shape.heads, size)),
        )


def _sizes(values: PlanValues) -> list[int] | None:
    """The three sizes; releases before 0.6.0 have the first alone. None when one is not known."""
    found = []
    for kind in _KINDS:
        key = f"{ROLLOUT}.{kind}_parallel_size"
        there = kind == "tensor_model" or version_at_least(values.plan, 0, 6)
        size = values.number(key) if there else 1
        if not size:
            return None
        found.append(size)
    return found
