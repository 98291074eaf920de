"""The memory estimates of a script's launches, on the device in its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from bot.base.regex import regex
from bot.frameworks.plan import Plan
from bot.memory.estimate import MemoryEstimate, Stage
from bot.memory.from_plan import PlanEstimate
from bot.memory.readers.settings import NoEstimateError
from bot.memory.units import Bytes, together
from bot.memory.workload import MemoryLevel
from bot.rules._support.base import Message, RuleContext, message
from bot.script.trial_log import outcome, reaches, tried_values
from bot.shell.source import Span

_SHARE = regex(r"(?:\A|[._])(?:gpu_memory_utilization|mem_fraction_static)\Z")
LIMITS = (
    "Silent without a prediction: when the name says no known device, the model's shape is not "
    "known, or a setting that decides cannot be read. `rlbot estimate` says which. A run that "
    "finished is stronger than any estimate."
)
SOURCE = "docs/memory.md: the staged model of memory, its calibration and its limits"


RAISE_SHARE: Final = message("raise the engine's share of the card")


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
    terms = _listed([part for part in parts if part[1].in_gib >= 0.05])
    return message("{terms} = {total}", terms=terms, total=str(stage.total.at(level)))


def _listed(parts: Sequence[tuple[str, Bytes]]) -> Message:
    """Each part with its GiB; the names are translated with the sentence."""
    template = " + ".join(f"{{name{at}}} {{gib{at}}}" for at in range(len(parts)))
    names = {f"name{at}": message(name) for at, (name, _) in enumerate(parts)}
    sizes = {f"gib{at}": size.shown for at, (_, size) in enumerate(parts)}
    return message(template, **names, **sizes)


def shortage_in_words(estimate: MemoryEstimate) -> Message | None:
    """What an engine lacks, where that and no stage decides: the sum, and its share."""
    short = estimate.decisive_shortage
    if short is None:
        return None
    return message(
        "the engine needs {needed} of each GPU to start ({parts}), and its share of the {device} "
        "is {share}",
        needed=str(together(short.needed.values())),
        parts=_listed(list(short.needed.items())),
        device=estimate.device.label,
        share=str(short.share),
    )


def share_place(plan: Plan) -> Span | None:
    """Where a launch sets its engine's share; None where it leaves that to the release."""
    found = (one.value_span for one in reversed(plan.settings) if _SHARE.search(one.key))
    return next(found, None)


def ran_before(context: RuleContext, plan: Plan) -> bool:
    """Whether the script's own trial log says that its value ran."""
    return any(
        outcome(tried.trials, tried.value) is True and reaches(context.reading, plan, tried)
        for tried in tried_values(context.reading, context.choice.plans)
    )
