"""The ends between which is searched: what ran and what failed, narrowed by what is predicted."""

from __future__ import annotations

from typing import Literal

from bot.base.errors import UserError
from bot.base.messages import message
from bot.bisect.band import Band, Candidates
from bot.bisect.report import Limit
from bot.bisect.request import Asked
from bot.script.trial_log import largest_passing, outcome, tried_values

Ends = tuple[Limit | None, Limit | None]
"""The lower one and the upper one; None where nothing is known."""


def known_ends(of: Candidates, asked: Asked) -> Ends:
    """What ran and what failed already: as given, else by the script's own trial log.

    Raises UserError when the two contradict each other.
    """
    ran = _limit(of, asked.ran, "given", message("given with --ran"))
    failed = _limit(of, asked.failed, "given", message("given with --failed"))
    reading = of.read(of.script.data)
    logs = [tried.trials for tried in tried_values(*reading) if tried.span == of.knob.parts[0].span]
    if logs and asked.ran is None and asked.failed is None:
        (trials, *_) = logs
        best = largest_passing(trials)
        failing = [t.value for t in trials if outcome(trials, t.value) is False]
        first = min(failing, default=None)
        ran = _limit(of, best, "trial log", message("marked √ in the script's own trial log"))
        failed = _limit(of, first, "trial log", message("marked × in the script's own trial log"))
    if ran is not None and failed is not None and ran.value >= failed.value:
        raise UserError(
            f"{ran.value} cannot have run when {failed.value}, which is no larger, "
            "failed; settle that first."
        )
    return ran, failed


def narrowed(of: Candidates, band: Band, known: Ends) -> tuple[Ends, tuple[str, ...]]:
    """The known ends narrowed by the band, and what to say where the two contradict each other."""
    ran, failed = lower, upper = known
    notes = []
    if band.lower is not None and (ran is None or ran.value < band.lower):
        if failed is None or band.lower < failed.value:
            lower = _predicted(of, band.lower)
        else:
            notes.append(
                message(
                    "{value} failed although it was predicted to fit; the prediction is left "
                    "out below it.",
                    value=failed.value,
                )
            )
    if band.upper is not None and (failed is None or band.upper < failed.value):
        if ran is None or band.upper > ran.value:
            upper = _predicted(of, band.upper)
        else:
            notes.append(
                message(
                    "{value} ran although it was predicted to be too large; the prediction is "
                    "left out above it.",
                    value=ran.value,
                )
            )
    return (lower, upper), tuple(notes)


def _predicted(of: Candidates, value: int) -> Limit | None:
    budget = of.budget(value)
    usable = f"{budget.usable.in_gib:.1f}"
    expected = f"{budget.peak().in_gib:.1f}"
    if budget.outcome == "impossible":
        reason = message(
            "impossible: the floor is {floor} of {usable} GiB",
            floor=f"{budget.peak('floor').in_gib:.1f}",
            usable=usable,
        )
    elif of.verdict(value) == "too large":
        reason = message(
            "expected {expected} of {usable} GiB, above by more than the model's usual error",
            expected=expected,
            usable=usable,
        )
    elif budget.peak("conservative") <= budget.usable:
        reason = message(
            "at most {most} of {usable} GiB, every sequence at its full length",
            most=f"{budget.peak('conservative').in_gib:.1f}",
            usable=usable,
        )
    else:
        reason = message(
            "expected {expected} of {usable} GiB, below by more than the model's usual error",
            expected=expected,
            usable=usable,
        )
    return _limit(of, value, "predicted", reason)


def _limit(
    of: Candidates,
    value: int | None,
    source: Literal["run", "trial log", "given", "predicted"],
    reason: str,
) -> Limit | None:
    if value is None:
        return None
    batch = of.batch(value) if of.knob.values(value) is not None else None
    return Limit(value=value, batch=batch, source=source, reason=reason)
