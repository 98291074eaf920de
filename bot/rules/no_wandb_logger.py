"""RLB042: the run is not logged to W&B."""

from __future__ import annotations

from collections.abc import Iterator

from bot.rules._example import verl
from bot.rules._keys import shown
from bot.rules._names import where
from bot.rules.base import Case, Example, Hit, Meta

META = Meta(
    id="RLB042",
    slug="no-wandb-logger",
    severity="warning",
    confidence="certain",
    added_in="0.1.0",
    summary="The loggers do not include W&B.",
    why=(
        "The page asks for evidence from W&B for each row. Without the logger the script "
        "leaves none, and nobody who repeats it can compare."
    ),
    instead='Add wandb to the loggers (verl: trainer.logger=\'["console","wandb"]\').',
    limits=(
        "Silent when the loggers cannot be known, and when another launch of the script logs to "
        "W&B."
    ),
    source="https://github.com/volcengine/verl/blob/main/docs/perf/device_tuning.rst",
    example=Example(
        bad=verl("trainer.logger=console"), good=verl('trainer.logger=\'["console","wandb"]\'')
    ),
)


def check(case: Case) -> Iterator[Hit]:
    """The launches' loggers, when all are known and none has W&B."""
    loggers = [plan.loggers.value for plan in case.plans]
    if any(names is None or "wandb" in names for names in loggers):
        return
    for plan in case.plans:
        names = plan.loggers.value or ()
        default = " by default" if plan.loggers.default else ""
        example = 'trainer.logger=\'["console","wandb"]\''
        how = example if plan.framework == "verl" else shown(plan, plan.loggers.key or "use_wandb")
        yield Hit(
            message=f"the run is logged to {_listed(names)}{default}, not to W&B",
            span=where(plan, plan.loggers.span),
            help=f"write {how}: the page asks for evidence from W&B",
        )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) if names else "nothing"
