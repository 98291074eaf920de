"""RLB112: the launch fits, but barely."""

from __future__ import annotations

from bot.memory.estimate import TIGHT, MemoryEstimate
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, message
from bot.rules._support.estimates import (
    LIMITS,
    SOURCE,
    estimates,
    share_place,
    shortage_in_words,
)
from bot.rules._support.example import STATIC, verl
from bot.rules._support.names import where
from bot.rules._support.tuning import tag

_SETTINGS = (
    *STATIC,
    "data.max_prompt_length=512",
    "data.max_response_length=512",
    "actor_rollout_ref.actor.fsdp_config.param_offload=True",
    "actor_rollout_ref.actor.fsdp_config.optimizer_offload=True",
    "trainer.nnodes=1",
)

META = Meta(
    id="RLB112",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="The expected peak is above 90 % of the card, or long sequences would not fit.",
    why="One batch of long responses, or another driver, may end the run.",
    instead="Keep the peak below 90 % of the card, or say in the row that it is a MIN one.",
    limits=f"{LIMITS} Silent for `# tag: MIN`: such a script is tight by its nature.",
    source=SOURCE,
    example=Example(
        bad=verl(*_SETTINGS, "trainer.n_gpus_per_node=2"),
        good=verl(*_SETTINGS, "trainer.n_gpus_per_node=8"),
        bad_path="examples/tuning/7b/qwen2.5-7b_grpo_2_h100_fsdp_vllm.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """Launches whose estimate is tight."""
    if tag(context) == "MIN":
        return
    for plan, made in estimates(context):
        estimate = made.estimate
        if estimate.outcome != "tight":
            continue
        lack = shortage_in_words(estimate)
        yield Hit(
            message=lack or _message(estimate),
            span=where(plan, share_place(plan) if lack else plan.model.span),
        )


def _message(estimate: MemoryEstimate) -> Message:
    """Which of the two it is: a peak near the card's end, or sequences that may not fit."""
    total, device = estimate.device.memory_bytes, estimate.device.label
    expected, most = str(estimate.peak()), str(estimate.peak("conservative"))
    if estimate.peak().count <= TIGHT * total:
        return message(
            "with long sequences the {stage} stage would need {most} of each GPU, "
            "and the {device} gives {usable}; {expected} are expected",
            stage=message(estimate.binding("conservative").name),
            most=most,
            device=device,
            usable=str(estimate.usable),
            expected=expected,
        )
    return message(
        "the {stage} stage is expected to take {share} of the {device}: {expected} of {total}, "
        "{most} with long sequences",
        stage=message(estimate.binding().name),
        share=f"{estimate.peak().count / total:.0%}",
        device=device,
        expected=expected,
        total=f"{estimate.device.memory_gib:.1f} GiB",
        most=most,
    )
