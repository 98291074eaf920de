"""The ends between which is searched: what ran and what failed, narrowed by what is predicted."""

from __future__ import annotations

from typing import TypeAlias

from bot.base.errors import UserError
from bot.base.messages import Notes, message
from bot.bisect.candidates import Band, Candidates
from bot.bisect.report import Limit, LimitSource
from bot.bisect.request import SeriesRequest
from bot.script.trial_log import Trial, largest_passing, outcome, tried_values

Ends: TypeAlias = tuple[Limit | None, Limit | None]
"""The lower one and the upper one; None where nothing is known."""


def logged_trials(candidates: Candidates) -> tuple[Trial, ...]:
    """The trial log that the script has beside the value that is varied."""
    context = candidates.read(candidates.script.data)
    values = tried_values(context.reading, context.choice.plans)
    span = candidates.knob.parts[0].span
    return next((tried.trials for tried in values if tried.span == span), ())


def known_ends(candidates: Candidates, request: SeriesRequest) -> Ends:
    """What ran and what failed already: as given, else by the script's own trial log.

    Raises UserError when the two contradict each other.
    """
    ran = _limit(candidates, request.ran, "given", message("given with --ran"))
    failed = _limit(candidates, request.failed, "given", message("given with --failed"))
    trials = logged_trials(candidates)
    if trials and ran is None and failed is None:
        first = min((t.value for t in trials if outcome(trials, t.value) is False), default=None)
        marked = message("marked √ in the script's own trial log")
        ran = _limit(candidates, largest_passing(trials), "trial log", marked)
        marked = message("marked × in the script's own trial log")
        failed = _limit(candidates, first, "trial log", marked)
    if ran is not None and failed is not None and ran.value >= failed.value:
        raise UserError(
            "{ran} cannot have run when {failed}, which is no larger, failed; settle that first.",
            ran=ran.value,
            failed=failed.value,
        )
    return ran, failed


def narrowed(candidates: Candidates, band: Band, known: Ends) -> tuple[Ends, tuple[str, ...]]:
    """The known ends narrowed by the band, and notes where the two contradict each other."""
    ran, failed = lower, upper = known
    notes = Notes()
    if band.lower is not None and (ran is None or ran.value < band.lower):
        if failed is None or band.lower < failed.value:
            lower = _predicted(candidates, band.lower)
        else:
            notes.note(
                "{value} failed although it was predicted to fit; the prediction is left "
                "out below it.",
                value=failed.value,
            )
    if band.upper is not None and (failed is None or band.upper < failed.value):
        if ran is None or band.upper > ran.value:
            upper = _predicted(candidates, band.upper)
        else:
            notes.note(
                "{value} ran although it was predicted to be too large; the prediction is "
                "left out above it.",
                value=ran.value,
            )
    return (lower, upper), tuple(notes)


def _predicted(candidates: Candidates, value: int) -> Limit | None:
    estimate = candidates.estimate(value)
    usable = f"{estimate.usable.in_gib:.1f}"
    floor, expected, most = (
        f"{estimate.peak(level).in_gib:.1f}" for level in ("floor", "expected", "conservative")
    )
    if estimate.outcome == "impossible":
        reason = message(
            "impossible: the floor is {floor} of {usable} GiB", floor=floor, usable=usable
        )
    elif candidates.verdict(value) == "too large":
        reason = message(
            "expected {expected} of {usable} GiB, above by more than the model's usual error",
            expected=expected,
            usable=usable,
        )
    elif estimate.peak("conservative") <= estimate.usable:
        reason = message(
            "at most {most} of {usable} GiB, with long sequences",
            most=most,
            usable=usable,
        )
    else:
        reason = message(
            "expected {expected} of {usable} GiB, below by more than the model's usual error",
            expected=expected,
            usable=usable,
        )
    return _limit(candidates, value, "predicted", reason)


def _limit(
    candidates: Candidates, value: int | None, source: LimitSource, reason: str
) -> Limit | None:
    if value is None:
        return None
    batch = candidates.batch(value) if candidates.knob.values(value) is not None else None
    return Limit(value=value, batch=batch, source=source, reason=reason)
