"""RLB110: what must be resident does not fit the device."""

from __future__ import annotations

from bot.memory.estimate import StageName
from bot.report import Severity
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, hit, message
from bot.rules._support.estimates import (
    LIMITS,
    RAISE_SHARE,
    SOURCE,
    estimates,
    ran_before,
    share_place,
    shortage_in_words,
    sum_in_words,
)
from bot.rules._support.example import STATIC, verl
from bot.rules._support.names import where

_SETTINGS = (
    *STATIC,
    "data.max_prompt_length=512",
    "data.max_response_length=1024",
    "trainer.nnodes=1",
)

META = Meta(
    id="RLB110",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary="What must be on each GPU at one time is more than the device has.",
    why=(
        "The run ends with an out-of-memory error, whatever the data. The sum holds only what has "
        "to be resident: weights, gradients and optimizer of one stage, no activations that a "
        "shorter sequence would spare. An engine whose weights are more than its share of the card "
        "(gpu_memory_utilization) refuses to start."
    ),
    instead="Use more GPUs, a larger device, or the settings that `rlbot estimate` names.",
    limits=(
        f"{LIMITS} A warning where the device's memory has no public source, or where the "
        "program's own configuration is not known and the defaults of verl's stand for it."
    ),
    source=SOURCE,
    example=Example(
        bad=verl(*_SETTINGS, "trainer.n_gpus_per_node=2"),
        good=verl(*_SETTINGS, "trainer.n_gpus_per_node=8"),
        bad_path="examples/tuning/7b/qwen2.5-7b_grpo_2_rtx4090_fsdp_vllm.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """Launches whose floor is above the device's usable memory."""
    for plan, made in estimates(context):
        estimate = made.estimate
        if estimate.outcome != "impossible" or ran_before(context, plan):
            continue
        verified = estimate.device.verified and not made.workload.usual
        severity: Severity | None = None if verified else "warning"
        if (lack := shortage_in_words(estimate)) is not None:
            place = where(plan, share_place(plan))
            yield Hit(message=lack, span=place, help=RAISE_SHARE, severity=severity)
            continue
        yield hit(
            where(plan, plan.model.span),
            "the {stage} stage needs at least {floor} of each GPU, and the {device} gives "
            "{usable}: {sum}",
            stage=message(estimate.binding("floor").name),
            floor=str(estimate.peak("floor")),
            device=estimate.device.label,
            usable=str(estimate.usable),
            sum=sum_in_words(estimate.binding("floor"), "floor"),
            help=_way_out(estimate.binding("floor").name),
            severity=severity,
        )


def _way_out(stage: StageName) -> Message:
    if stage == "loading":
        return message("leave device_map out: the model is then loaded on the host, and divided")
    return message("use more GPUs, a larger device, or what `rlbot estimate` names")
