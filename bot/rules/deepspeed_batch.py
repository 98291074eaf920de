"""RLB065: a batch that DeepSpeed cannot divide into micro batches."""

from __future__ import annotations

from bot.frameworks.plan_values import PlanValues
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import openrlhf
from bot.rules._support.openrlhf import (
    ACTOR_GPUS,
    ACTOR_NODES,
    BATCH,
    LIMITS,
    MICRO,
    RING,
    TENSOR,
    place,
    product,
    ray_trainers,
    size,
)

META = Meta(
    id="RLB065",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="OpenRLHF's training batch is no multiple of micro batch × GPUs of the actor.",
    why=(
        "DeepSpeed asserts that the batch equals micro batch × gradient accumulation × ranks, with "
        "a whole number of accumulation steps, when the engine is made."
    ),
    instead="Choose a batch that is a multiple of the micro batch times the actor's GPUs.",
    limits=(
        f"{LIMITS} The Ray trainer's actor alone; ring attention and tensor parallelism divide the "
        "ranks."
    ),
    source=(
        "openrlhf/utils/deepspeed/deepspeed.py, get_ds_train_config; DeepSpeed's "
        "_batch_assertion in deepspeed/runtime/config.py"
    ),
    example=Example(
        bad=openrlhf("--train.batch_size 100", "--train.micro_batch_size 8"),
        good=openrlhf("--train.batch_size 128", "--train.micro_batch_size 8"),
        path="examples/scripts/train_ppo.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """DeepSpeed's assertion on the batch of the actor."""
    for values in ray_trainers(context):
        batch, micro, ranks = values.whole(*BATCH), values.whole(*MICRO), _ranks(values)
        if not batch or not micro or not ranks or batch % (micro * ranks) == 0:
            continue
        step = micro * ranks
        lower, upper = batch // step * step, (batch // step + 1) * step
        yield hit(
            place(values, BATCH, MICRO, ACTOR_GPUS, ACTOR_NODES),
            "training batch {batch} is no multiple of {step} (micro batch {micro} × {ranks} "
            "data-parallel ranks of the actor)",
            batch=batch,
            step=step,
            micro=micro,
            ranks=ranks,
            help=message("use {lower} or {upper}", lower=lower, upper=upper)
            if lower
            else message("use {upper}", upper=upper),
        )


def _ranks(values: PlanValues) -> int | None:
    gpus = product(values, ACTOR_NODES, ACTOR_GPUS)
    ring, tensor = size(values, *RING), size(values, *TENSOR)
    if not gpus or not ring or not tensor or gpus % (ring * tensor):
        return None
    return gpus // (ring * tensor)
