"""RLB056: validation samples at temperature 0."""

from __future__ import annotations

from bot.frameworks.plan_values import version_at_least
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import LIMITS, ROLLOUT, SOURCE, trainers

_SAMPLE = f"{ROLLOUT}.val_kwargs.do_sample"
_TEMPERATURE = f"{ROLLOUT}.temperature"

META = Meta(
    id="RLB056",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="Validation samples (do_sample) while the rollout's temperature is 0.",
    why="Sampling at temperature 0 is undefined; verl stops at its start.",
    instead="Set rollout.temperature above 0, or leave val_kwargs.do_sample off.",
    limits=f"{LIMITS} verl compares rollout.temperature, not val_kwargs.temperature.",
    source=SOURCE,
    example=Example(
        bad=verl(f"{_SAMPLE}=True", f"{_TEMPERATURE}=0"),
        good=verl(f"{_SAMPLE}=True", f"{_TEMPERATURE}=1.0"),
    ),
)


def check(context: RuleContext) -> Hits:
    """Verl's check of the temperature when validation samples (since 0.3.0)."""
    for values in trainers(context):
        found = values.get(_TEMPERATURE)
        if found is None or isinstance(found.value, bool):
            continue
        if not isinstance(found.value, (int, float)) or found.value > 0:
            continue
        if values.flag(_SAMPLE) is True and version_at_least(values.plan, 0, 3):
            yield hit(
                values.place(_TEMPERATURE),
                "validation samples, but rollout.temperature is {value}",
                value=f"{found.value:g}",
                help=message(
                    "set {temperature} above 0, or remove {sample}",
                    temperature=_TEMPERATURE,
                    sample=_SAMPLE,
                ),
            )
