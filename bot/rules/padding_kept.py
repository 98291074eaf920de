"""RLB070: padding is computed along with the tokens."""

from __future__ import annotations

import re

from bot.base.regex import regex
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.tuning import GUIDE, advised

_KEY = "actor_rollout_ref.model.use_remove_padding"

META = Meta(
    id="RLB070",
    severity="note",
    confidence="high",
    added_in="0.1.0",
    summary="use_remove_padding is off for a model that supports it.",
    why=(
        "Sequences are then padded to the longest one, and the padding is computed and stored like "
        "tokens. Packing saves both time and memory."
    ),
    instead=f"Set {_KEY}=True.",
    limits="Knows the families that the guide names: Llama, Mistral, Gemma and Qwen.",
    source=f"{GUIDE}, section on removing padding",
    example=Example(bad=verl(f"{_KEY}=False"), good=verl(f"{_KEY}=True")),
)

_SUPPORTED = regex(r"qwen|qwq|llama|mistral|gemma|deepseek-(?:r1-distill|llm|math)", re.I)


def check(context: RuleContext) -> Hits:
    """Launches that pad."""
    for values in advised(context):
        model = values.plan.model.value or ""
        if values.flag(_KEY) is False and _SUPPORTED.search(model.rsplit("/", 1)[-1]):
            yield hit(
                values.place(_KEY),
                "use_remove_padding is off{default}, so padding is computed like tokens",
                default="" if values.plan.last(_KEY) else message(" by default"),
                help=message("set {key}=True", key=_KEY),
            )
