"""Runs that could not be read because W&B was away: they are looked at again, without a hand.

A pull request is answered all the same, with what is known. Its check then comes again by itself,
later and later, until the run was read or a day has passed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Final

from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.links import RunLink
from bot.service.job import Job

WAITS: Final = (120.0, 300.0, 600.0, 900.0, 1_800.0, 3_600.0, 7_200.0, 14_400.0, 28_800.0, 28_800.0)
"""Seconds before each further look; a day in all."""
_LOOK: Final = "look"

_missed: ContextVar[list[str] | None] = ContextVar("missed", default=None)


def noted(read: Callable[[RunLink], Facts]) -> Callable[[RunLink], Facts]:
    """`read`, which also tells the `watching` block around it of failures that may pass."""

    def reading(link: RunLink) -> Facts:
        try:
            return read(link)
        except EvidenceError as error:
            missed = _missed.get()
            if error.passing and missed is not None:
                missed.append(link.url)
            raise

    return reading


@contextmanager
def watching() -> Iterator[list[str]]:
    """The links that could not be read within the block and may be readable later."""
    missed: list[str] = []
    token = _missed.set(missed)
    try:
        yield missed
    finally:
        _missed.reset(token)


def next_look(job: Job, waits: Sequence[float] = WAITS) -> tuple[Job, float] | None:
    """The check that comes after `job`, and the seconds until then; None after the last one."""
    looks = int(job.detail.get(_LOOK) or 0)
    if job.kind != "check" or looks >= len(waits):
        return None
    first = job.meaning if not looks else job.meaning.partition(":")[2]
    return (
        replace(job, meaning=f"look{looks + 1}:{first}", detail={**job.detail, _LOOK: looks + 1}),
        waits[looks],
    )
