"""RLB085: a script of recommended settings whose engine logs no statistics."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.tuning import GUIDE, RECOMMENDED_ONLY, advised
from bot.rules._support.verl import ROLLOUT

_KEY = f"{ROLLOUT}.disable_log_stats"

META = Meta(
    id="RLB085",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="A script tagged RECOMMENDED leaves the engine's statistics off.",
    why=(
        "Cache usage, preemptions and throughput of the engine are what its settings are tuned by. "
        "Without them a reader sees the setting, not whether it was right."
    ),
    instead=f"Set {_KEY}=False.",
    limits=RECOMMENDED_ONLY,
    source=f"{GUIDE}: before tuning, set disable_log_stats=False",
    example=Example(
        bad=verl(f"{_KEY}=True", before="# tag: RECOMMENDED"),
        good=verl(f"{_KEY}=False", before="# tag: RECOMMENDED"),
    ),
)


def check(context: RuleContext) -> Hits:
    """Recommended launches without statistics."""
    for values in advised(context, ("RECOMMENDED",)):
        if values.flag(_KEY) is True:
            yield hit(
                values.place(_KEY),
                "the engine logs no statistics, which its settings are tuned by",
                help=message("set {key}=False", key=_KEY),
            )
