"""RLB042: the run is not logged to W&B."""

from __future__ import annotations

from bot.base.messages import pmessage
from bot.frameworks.plan import Plan
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.keys import shown
from bot.rules._support.names import asked, where

META = Meta(
    id="RLB042",
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
        "A note outside of a folder called tuning. Silent when the loggers "
        "cannot be known, and when another launch of the script logs to W&B."
    ),
    source="https://github.com/volcengine/verl/blob/main/docs/perf/device_tuning.rst",
    example=Example(
        bad=verl("trainer.logger=console"), good=verl('trainer.logger=\'["console","wandb"]\'')
    ),
)


_SINCE = "logger.wandb.key"
"""OpenRLHF's option since 0.10.2, `--use_wandb` before."""


def check(context: RuleContext) -> Hits:
    """The launches' loggers, when all are known and none has W&B."""
    loggers = [plan.loggers.value for plan in context.plans]
    if any(names is None or "wandb" in names for names in loggers):
        return
    for plan in context.plans:
        names = plan.loggers.value or ()
        default = pmessage("no-wandb-logger", " by default") if plan.loggers.default else ""
        yield hit(
            where(plan, plan.loggers.span),
            "the run is logged to {names}{default}, not to W&B",
            names=_listed(names),
            default=default,
            severity=None if asked(context) else "note",
            help=message(
                "write {how}: a row of the tuning page has a run on W&B as evidence",
                how=_switch(plan),
            ),
        )


def _switch(plan: Plan) -> str:
    """What logs to W&B."""
    key = plan.loggers.key
    if plan.framework == "verl":
        return 'trainer.logger=\'["console","wandb"]\''
    if key == "report_to":
        return f"{shown(plan, key)} wandb"
    if plan.framework == "openrlhf" or key is None:  # Its other loggers have switches of their own.
        since = plan.table is not None and _SINCE in plan.table
        key = _SINCE if since else "use_wandb"
    return shown(plan, key)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) if names else pmessage("no-wandb-logger", "nothing")
