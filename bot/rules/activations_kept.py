"""RLB078: gradient checkpointing is off."""

from __future__ import annotations

from bot.frameworks.plan_values import values_of
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.keys import shown
from bot.rules._support.tuning import GUIDE, SMALL, tag

_VERL = "actor_rollout_ref.model.enable_gradient_checkpointing"
_KEYS = {
    "verl": (_VERL,),
    "openrlhf": (
        "actor.gradient_checkpointing_enable",
        "model.gradient_checkpointing_enable",
        "gradient_checkpointing",
    ),
    "trl": ("activation_checkpointing", "gradient_checkpointing"),
    "open-instruct": ("gradient_checkpointing",),
}

META = Meta(
    id="RLB078",
    severity="note",
    confidence="high",
    added_in="0.1.0",
    summary="Gradient checkpointing is off.",
    why=(
        "Every layer's activations are then kept for the backward pass. Checkpointing keeps one "
        "tensor a layer and computes the rest again, which allows larger micro batches."
    ),
    instead=f"Set {_VERL}=True (OpenRLHF: --actor.gradient_checkpointing_enable).",
    limits=(
        "verl, OpenRLHF, TRL and open-instruct. Not for a script tagged RECOMMENDED, since "
        "computing again costs time. Silent when the setting cannot be known."
    ),
    source=f"{GUIDE}, section on batch size tuning; the options of the other trainers",
    example=Example(bad=verl(f"{_VERL}=False"), good=verl(f"{_VERL}=True")),
)


def check(context: RuleContext) -> Hits:
    """Launches of any framework without checkpointing."""
    if tag(context) not in SMALL:
        return
    for plan in context.plans:
        keys = _KEYS.get(plan.framework, ())
        known = {_VERL} if plan.framework == "verl" else set(plan.table or ())
        default = next((k for k in reversed(keys) if k in known), None)
        key = next((k for k in keys if plan.last(k)), default)
        found = values_of(plan).get(key) if key and plan.table is not None else None
        if key is None or found is None or found.value is not False:
            continue
        yield hit(
            values_of(plan).place(key),
            "gradient checkpointing is off{default}: every layer's activations are kept",
            default="" if plan.last(key) else message(" by default"),
            help=message(
                "set {key}", key=f"{key}=True" if plan.framework == "verl" else shown(plan, key)
            ),
        )
