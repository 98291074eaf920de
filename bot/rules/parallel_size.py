"""RLB050: the GPUs cannot be divided into model-parallel groups."""

from __future__ import annotations

from bot.frameworks.plan import Plan
from bot.memory.readers.verl.sharding import expert_tensor_size
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import STATIC, verl
from bot.rules._support.verl import (
    ACTOR,
    LIMITS,
    SEQUENCE_SIZES,
    SOURCE,
    gpus,
    is_fsdp,
    model_parallel,
    sequence_parallel,
    static,
    trainers,
)

_MEGATRON = (
    "model_engine=megatron",
    *STATIC,
)

_OF_EXPERTS = ("expert_model", "pipeline_model", "tensor_model", "expert_tensor")
_UNSET = (None, "None", "null")
"""An expert tensor size that is not set; a null that was reached by a reference is a text."""

META = Meta(
    id="RLB050",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="Megatron's parallel sizes, or FSDP's for sequences, divide the GPUs unevenly.",
    why="verl stops at its start: a group of GPUs would be incomplete.",
    instead="Choose parallel sizes whose product divides the number of GPUs.",
    limits=(
        f"{LIMITS} Megatron's sizes are not checked with use_dynamic_bsz, where verl does not "
        "either, but for those of experts, which Megatron checks itself. A warning for sequences "
        "and experts where the number of GPUs is a default, ${GPUS:-2}."
    ),
    source=(
        f"{SOURCE}; initialize_model_parallel of Megatron's parallel_state.py for experts; for "
        "FSDP the mesh of GPUs ÷ size by size that "
        "FSDPEngine._init_device_mesh makes in verl/workers/engine/fsdp/transformer_impl.py"
    ),
    example=Example(
        bad=verl(*_MEGATRON, "actor_rollout_ref.actor.megatron.tensor_model_parallel_size=3"),
        good=verl(*_MEGATRON, "actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4"),
        path="examples/tuning/7b/qwen2.5-7b_grpo_8_h100_megatron_vllm.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """Verl's check that n_gpus is a multiple of model_parallel_size × context_parallel_size."""
    yield from _of_sequences(context)
    yield from _of_experts(context)
    for values in static(context):
        total, parallel = gpus(values), model_parallel(values)
        if not total or not parallel or total % parallel == 0:
            continue
        kinds = ("tensor_model", "pipeline_model", "context")
        keys = [f"{ACTOR}.megatron.{kind}_parallel_size" for kind in kinds]
        sizes = " × ".join(str(values.number(key)) for key in keys)
        yield hit(
            values.place(*keys, "trainer.n_gpus_per_node"),
            "the number of GPUs, {total}, is no multiple of tensor × pipeline × context "
            "parallel size {sizes} = {parallel}",
            total=total,
            sizes=sizes,
            parallel=parallel,
            help=message("choose parallel sizes whose product divides the number of GPUs"),
        )


def _left_to_caller(plan: Plan) -> bool:
    """Whether the number of GPUs is a default that the caller may change: `${GPUS:-2}`."""
    found = (plan.last(f"trainer.{key}") for key in ("n_gpus_per_node", "nnodes"))
    words = (setting.word for setting in found if setting is not None)
    return any(piece.default_of is not None for word in words for piece in word.pieces)


def _of_experts(context: RuleContext) -> Hits:
    """The groups of GPUs that share Megatron's experts, which it makes whatever sizes batches."""
    if "expert_model_parallel_size" not in context.source.text:
        return  # The default is 1.
    for values in trainers(context):
        total, parallel = gpus(values), model_parallel(values)
        keys = [f"{ACTOR}.megatron.{kind}_parallel_size" for kind in _OF_EXPERTS]
        expert, pipeline, tensor = map(values.number, keys[:3])
        each = values.get(keys[3])
        known = each is not None and (each.number or each.value in _UNSET)
        if not (total and parallel and expert and pipeline and tensor and each and known):
            continue
        size = expert_tensor_size(each.number, tensor)
        if total % parallel or total % (expert * size * pipeline) == 0:
            continue
        yield hit(
            values.place(*keys, "trainer.n_gpus_per_node"),
            "the number of GPUs, {total}, is no multiple of expert × expert tensor × pipeline "
            "parallel size {sizes} = {product} (an expert tensor size that is not set is the "
            "tensor-parallel size, {tensor})",
            severity="warning" if _left_to_caller(values.plan) else None,
            total=total,
            sizes=f"{expert} × {size} × {pipeline}",
            product=expert * size * pipeline,
            tensor=tensor,
            help=message("set {key}=1, or choose sizes that divide the number of GPUs", key=keys[3])
            if each.number is None
            else message("choose parallel sizes whose product divides the number of GPUs"),
        )


def _of_sequences(context: RuleContext) -> Hits:
    """The groups of GPUs that share sequences below FSDP, Ulysses' size of each."""
    if SEQUENCE_SIZES[0].rpartition(".")[2] not in context.source.text:
        return  # The default is 1; a script is searched faster than its settings.
    for values in trainers(context):
        total, size = gpus(values), sequence_parallel(values) if is_fsdp(values) else None
        if total and size and total % size:
            yield hit(
                values.place(*SEQUENCE_SIZES, "trainer.n_gpus_per_node"),
                "the number of GPUs, {total}, is no multiple of the sequence-parallel size {size}",
                severity="warning" if _left_to_caller(values.plan) else None,
                total=total,
                size=size,
                help=message("choose a size that divides the number of GPUs"),
            )
