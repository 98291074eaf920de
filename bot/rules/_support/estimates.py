"""The memory estimates of a script's launches, on the device in its name."""

from __future__ import annotations

from collections.abc import Iterator

from bot.frameworks.plan import Plan
from bot.memory.estimate import Stage
from bot.memory.from_plan import PlanEstimate
from bot.memory.readers.settings import NoEstimateError
from bot.memory.workload import MemoryLevel
from bot.rules._support.base import Message, RuleContext, message
from bot.script.trial_log import outcome, reaches, tried_values

LIMITS = (
    "Silent without a prediction: when the name says no known device, the model's shape is not "
    "known, or a setting that decides cannot be read. `rlbot estimate` says which. A run that "
    "finished is stronger than any estimate."
)
SOURCE = "docs/memory.md: the staged model of memory, its calibration and its limits"


def estimates(context: RuleContext) -> Iterator[tuple[Plan, PlanEstimate]]:
    """Each launch with its prediction; launches without one are left out."""
    device = context.choice.device
    if device is None:
        return
    for plan in context.choice.plans:
        if plan.model.value is not None:
            try:
                made = context.estimate(plan, device)
            except NoEstimateError:
                continue
            yield plan, made


def sum_in_words(stage: Stage, level: MemoryLevel) -> Message:
    """The arithmetic of a stage: "weights 14.2 + gradients 14.2 + … = 59.6 GiB"."""
    parts = sorted(stage.components[level].items(), key=lambda item: -item[1].count)
    shown = [f"{name} {amount.in_gib:.1f}" for name, amount in parts if amount.in_gib >= 0.05]
    terms = " + ".join(shown)
    return message("{terms} = {total}", terms=terms, total=str(stage.total.at(level)))


def ran_before(context: RuleContext, plan: Plan) -> bool:
    """Whether the script's own trial log says that its value ran."""
    return any(
        outcome(tried.trials, tried.value) is True and reaches(context.reading, plan, tried)
        for tried in tried_values(context.reading, context.choice.plans)
    )
