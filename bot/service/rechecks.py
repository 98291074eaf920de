"""Runs that could not be read while W&B was unavailable: their checks are repeated automatically.

A pull request is answered all the same, with what is known. Its check is then repeated at growing
intervals, until the run was read or a day has passed: that of a push, and that of a command, with
the run that the command named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Final

from bot.base.messages import mark, sentence_of
from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.links import RunLink
from bot.github.commands import CommentCommand
from bot.service.job import Job, JsonObject

WAITS: Final = (120.0, 300.0, 600.0, 900.0, 1_800.0, 3_600.0, 7_200.0, 14_400.0, 28_800.0, 28_800.0)
"""Seconds before each repeated check; a day in all."""
_COUNT: Final = "look"
"""Key of a stored job's detail: how often its check was repeated."""
_OF_COMMAND: Final = ("link", "script")
"""Keys of a repeated check of a command: the run that it named, and for which script."""

_AGAIN: Final = mark("{reason} rlbot looks again by itself: in some minutes, and for a day.")

_missed: ContextVar[tuple[list[str], bool] | None] = ContextVar("missed", default=None)
"""The links so far, and whether they are looked for again."""


def watched(read: Callable[[RunLink], Facts]) -> Callable[[RunLink], Facts]:
    """`read`, which also reports failures that may pass to the `watching` block around it.

    Their sentences say that the run is looked for again, where it is.
    """

    def reading(link: RunLink) -> Facts:
        try:
            return read(link)
        except EvidenceError as error:
            watch = _missed.get()
            if not error.passing or watch is None:
                raise
            missed, again = watch
            missed.append(link.url)
            if not again:
                raise
            reason = sentence_of(error)
            raise EvidenceError(_AGAIN, passing=True, reason=reason) from None

    return reading


@contextmanager
def watching(again: bool = True) -> Iterator[list[str]]:
    """The links that could not be read within the block and may be readable later.

    With `again` they are looked for again.
    """
    missed: list[str] = []
    token = _missed.set((missed, again))
    try:
        yield missed
    finally:
        _missed.reset(token)


def next_recheck(
    job: Job, result: JsonObject, waits: Sequence[float] = WAITS
) -> tuple[Job, float] | None:
    """The check that comes after `job`, and the seconds until then; None after the last one.

    `result` is that of the job: a command's says which commit and which run it was about.
    """
    count = int(job.detail.get(_COUNT) or 0)
    if count >= len(waits):
        return None
    first = job.meaning if not count else job.meaning.partition(":")[2]
    named = job.detail if job.kind == "check" else result["named"]
    following = replace(
        job,
        kind="check",
        meaning=f"look{count + 1}:{first}",
        head=job.head if job.kind == "check" else result["head"],
        detail={**named, _COUNT: count + 1},
    )
    return following, waits[count]


def is_recheck(job: Job) -> bool:
    """Whether a job repeats an earlier check."""
    return _COUNT in job.detail


def named_by(command: CommentCommand | None) -> dict[str, str | None]:
    """What a repeated check takes over of a command."""
    return {} if command is None else {key: getattr(command, key) for key in _OF_COMMAND}


def command_of(job: Job) -> CommentCommand | None:
    """The command whose check the job repeats, where that named a run."""
    link, script = (job.detail.get(key) for key in _OF_COMMAND)
    if not is_recheck(job) or link is None:
        return None
    return CommentCommand(name="verify", link=str(link), script=str(script) if script else None)
