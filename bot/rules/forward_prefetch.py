"""RLB081: FSDP waits for weights that it could fetch ahead."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.tuning import GUIDE, RECOMMENDED_ONLY, advised
from bot.rules._support.verl import ACTOR, gpus, is_fsdp

_KEY = f"{ACTOR}.fsdp_config.forward_prefetch"

META = Meta(
    id="RLB081",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="A script tagged RECOMMENDED leaves forward_prefetch off.",
    why=(
        "With it FSDP gathers the next layer's weights while the current one computes, so that "
        "communication hides behind computation."
    ),
    instead=f"Set {_KEY}=True.",
    limits=f"{RECOMMENDED_ONLY} FSDP on more than one GPU; it is no option of Megatron.",
    source=f"{GUIDE}, section on forward prefetch",
    example=Example(
        bad=verl(before="# tag: RECOMMENDED"),
        good=verl(f"{_KEY}=True", before="# tag: RECOMMENDED"),
    ),
)


def check(context: RuleContext) -> Hits:
    """FSDP launches without it."""
    for values in advised(context, ("RECOMMENDED",)):
        if is_fsdp(values) and (gpus(values) or 1) > 1 and values.flag(_KEY) is False:
            yield hit(
                values.place(_KEY),
                "tagged RECOMMENDED, but FSDP's forward_prefetch is off",
                help=message("set {key}=True", key=_KEY),
            )
