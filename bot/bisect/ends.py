"""The ends between which is searched: what ran and what failed, and what is predicted."""

from __future__ import annotations

from typing import TypeAlias

from bot.base.errors import UserError
from bot.base.messages import message
from bot.bisect.candidates import Candidates
from bot.bisect.report import Limit, LimitSource
from bot.script.trial_log import Trial, largest_passing, outcome, tried_values

Ends: TypeAlias = tuple[Limit | None, Limit | None]
"""The largest that ran and the smallest that failed; None where none is known."""


def logged_trials(candidates: Candidates) -> tuple[Trial, ...]:
    """The trial log that the script has beside the value that is varied."""
    context = candidates.read(candidates.script.data)
    values = tried_values(context.reading, context.choice.plans)
    span = candidates.knob.parts[0].span
    return next((tried.trials for tried in values if tried.span == span), ())


def known_ends(candidates: Candidates, ran: int | None, failed: int | None) -> Ends:
    """What ran and what failed already: as given, else by the script's own trial log.

    Raises UserError when the two contradict each other.
    """
    if ran is None and failed is None:
        return logged_ends(candidates)
    if ran is not None and failed is not None and ran >= failed:
        raise UserError(
            "{ran} cannot have run when {failed}, which is no larger, failed; settle that first.",
            ran=ran,
            failed=failed,
        )
    return (
        _limit(candidates, ran, "given", message("given with --ran")),
        _limit(candidates, failed, "given", message("given with --failed")),
    )


def logged_ends(candidates: Candidates) -> Ends:
    """What ran and what failed by the script's own trial log."""
    trials = logged_trials(candidates)
    failed = min((t.value for t in trials if outcome(trials, t.value) is False), default=None)
    marked = message("marked √ in the script's own trial log")
    ran = _limit(candidates, largest_passing(trials), "trial log", marked)
    marked = message("marked × in the script's own trial log")
    return ran, _limit(candidates, failed, "trial log", marked)


def predicted_end(candidates: Candidates, value: int | None) -> Limit | None:
    """An end of the band, with the memory that it is an end by."""
    if value is None:
        return None
    estimate = candidates.estimate(value)
    sizes = (estimate.peak("floor"), estimate.peak(), estimate.peak("conservative"))
    floor, expected, most, usable = (size.shown for size in (*sizes, estimate.usable))
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
    else:
        reason = message(
            "at most {most} of {usable} GiB, with long sequences", most=most, usable=usable
        )
    return _limit(candidates, value, "predicted", reason)


def _limit(
    candidates: Candidates, value: int | None, source: LimitSource, reason: str
) -> Limit | None:
    if value is None:
        return None
    return Limit(value=value, batch=candidates.batch(value), source=source, reason=reason)
