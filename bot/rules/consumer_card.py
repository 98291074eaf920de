"""RLB084: settings that small cards without NVLink bear badly."""

from __future__ import annotations

from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import PlanValues, values_of
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import openrlhf
from bot.rules._support.tuning import billions, card

_SMALL_GIB = 34
_LONG = 4096

META = Meta(
    id="RLB084",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="ZeRO-3 or long sequences with OpenRLHF on cards of 32 GB or less without NVLink.",
    why=(
        "ZeRO-3 gathers the weights at every layer, over PCIe where there is no NVLink; with LoRA, "
        "ZeRO-2 communicates the adapter's gradients alone. Activations of long sequences do not "
        "fit such cards."
    ),
    instead="Use LoRA with --ds.zero_stage 2, and a length of 4096 or less.",
    limits=(
        "OpenRLHF, when the file's name states the card (rtx4090). ZeRO-3 is reported with LoRA "
        "alone and for models whose bf16 weights take at most two thirds of the card."
    ),
    source=(
        "https://www.deepspeed.ai/tutorials/zero/: what each stage divides; NVIDIA's data sheets: "
        "GeForce RTX 30 cards but the 3090, and all RTX 40 cards, have no NVLink"
    ),
    example=Example(
        bad=openrlhf("--ds.lora.rank 64", "--ds.zero_stage 3"),
        good=openrlhf("--ds.lora.rank 64", "--ds.zero_stage 2"),
        path="examples/tuning/8b/llama3.1-8b_grpo-lora_8_rtx4090_deepspeed_vllm.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """Launches of OpenRLHF on a small card."""
    device = card(context)
    if device is None or device.memory_gib > _SMALL_GIB:
        return
    for plan in context.plans:
        if plan.framework != "openrlhf" or plan.table is None:
            continue
        values = values_of(plan)
        yield from _stage(plan, values, device.label, device.memory_gib)
        keys = ("data.max_len", "max_len")
        length = values.whole(*keys)
        if length and length > _LONG:
            yield hit(
                values.place(*keys),
                "sequences of {length} tokens on {card} with {memory} GiB",
                length=length,
                card=device.label,
                memory=f"{device.memory_gib:.0f}",
                help=message("use 4096 or less"),
            )


def _stage(plan: Plan, values: PlanValues, name: str, memory: float) -> Hits:
    keys = ("ds.zero_stage", "zero_stage")
    stage, parameters = values.whole(*keys), billions(plan.model.value)
    if stage != 3 or not plan.adapter.value or not parameters:
        return
    weights = parameters * 2e9 / 2**30
    if weights <= memory * 2 / 3:
        given = next((key for key in keys if plan.last(key)), keys[0])
        yield hit(
            values.place(*keys),
            "ZeRO-3 with LoRA on {card}: the weights, {weights} GiB in bf16, fit one card, and "
            "gathering them goes over PCIe",
            card=name,
            weights=f"{weights:.1f}",
            help=message("use {key} 2", key=f"--{given}"),
        )
