"""RLB111: the expected peak is above the device's memory, or so near that most such runs fail."""

from __future__ import annotations

from bot.memory.estimate import MemoryEstimate
from bot.report import EstimateLengths
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, message
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
from bot.rules._support.example import verl
from bot.rules._support.names import where

_STATIC = (
    "actor_rollout_ref.actor.use_dynamic_bsz=False",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
    "data.max_prompt_length=1024",
    "data.max_response_length=10240",
    "trainer.nnodes=1",
)

META = Meta(
    id="RLB111",
    severity="warning",
    confidence="medium",
    added_in="0.1.0",
    summary="The expected peak of a stage is more than the device has, or all but the whole of it.",
    why=(
        "A run that stops in its tenth step with an out-of-memory error has cost the queue and the "
        "start. The estimate takes mean lengths of 22 % of their maxima, and says from "
        "which on it holds."
    ),
    instead="Lower the tokens of one pass, or use the settings that `rlbot estimate` names.",
    limits=(
        f"{LIMITS} Silent when the script's own trial log marks its value as having run. Off "
        "Megatron it speaks from 96 % of what the device gives (QLoRA 93 %, the step of "
        "DeepSpeed's optimizer 90 %, adapters under FSDP 102 %): most of the public runs that were "
        "expected to take that much ran out of memory."
    ),
    source=SOURCE,
    example=Example(
        bad=verl(*_STATIC, "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=64"),
        good=verl(*_STATIC, "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4"),
    ),
)


def check(context: RuleContext) -> Hits:
    """Launches whose expected peak, though not their floor, is above the usable memory."""
    for plan, made in estimates(context):
        estimate = made.estimate
        if estimate.outcome != "likely OOM" or ran_before(context, plan):
            continue
        if (lack := shortage_in_words(estimate)) is not None:
            yield Hit(message=lack, span=where(plan, share_place(plan)), help=RAISE_SHARE)
            continue
        from bot.memory.options import what_helps  # Few scripts come here.
        from bot.rules._support.lengths import by_lengths

        options = what_helps(made.workload, estimate.device)
        yield Hit(
            message=_at_lengths(
                _message(estimate), by_lengths(context, plan, context.choice.device, None)
            ),
            span=where(plan, plan.micro_batch_size_per_gpu.span or plan.model.span),
            help=message(
                "try {setting}, which would save {saved}",
                setting=options[0].setting,
                saved=str(options[0].saves),
            )
            if options
            else None,
        )


def _at_lengths(text: Message, lengths: EstimateLengths | None) -> Message:
    """The same with the lengths that it holds at, which no script says."""
    if lengths is None or lengths.oom == "none":
        return text
    if lengths.oom == "any":
        return message("{text}; so it is whatever the lengths of the data", text=text)
    return message(
        "{text}; with the lengths of the data given, from a mean of {tokens} tokens a sequence on",
        text=text,
        tokens=f"{lengths.from_tokens or 0:,}",
    )


def _message(estimate: MemoryEstimate) -> Message:
    """What the stage takes that is too full: more than there is, or nearly all of it."""
    stage = estimate.overfull or estimate.binding()
    values = {
        "stage": message(stage.name),
        "expected": str(stage.total.expected),
        "device": estimate.device.label,
        "usable": str(estimate.usable),
        "sum": sum_in_words(stage, "expected"),
    }
    if stage.total.expected > estimate.usable:
        return message(
            "the {stage} stage is expected to need {expected} of each GPU, and the {device} "
            "gives {usable}: {sum}",
            **values,
        )
    return message(
        "the {stage} stage is expected to need {expected} of the {usable} that the {device} "
        "gives, and most runs that came so near ran out of memory: {sum}",
        **values,
    )
