"""How the steps of jobs wait: for an outage's or a limit's end, and for one of a worker's slots."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from bot.base.fast_dataclass import dataclass
from bot.service.database import database_reason, is_outage
from bot.service.job import Transient

T = TypeVar("T")
_log = logging.getLogger("rlbot.jobs")


class Stopping(BaseException):
    """The process ends while a step waits: no outcome of it is stored, and it goes on later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How transient failures of a step are retried."""

    attempts: int = 40
    """Attempts in all, without those that ended by a limit whose end is known."""
    first_wait: float = 2.0
    """Seconds; each further wait is twice as long."""
    longest_wait: float = 60.0
    """Seconds: what was down is noticed to be up again within this time. With forty attempts, an
    outage of half an hour is outlasted."""
    longest_limit: float = 3 * 3_600.0
    """Seconds that limits are waited for in all: GitHub's longest lasts an hour."""

    def outage(self, attempt: int) -> float:
        """Seconds to wait after the given attempt, from 1."""
        return float(min(self.first_wait * 2 ** min(attempt - 1, 30), self.longest_wait))


def retry(
    name: str,
    act: Callable[[], T],
    retries: Retries,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> T:
    """Act until it succeeds or fails for good; raises the last Transient when no attempt is left.

    An outage of our own database is transient too. `sleep` raises Stopping to
    end the waiting.
    """
    attempt, limited = 0, 0.0
    while True:
        try:
            return act()
        except Exception as error:
            failed = transient_of(error)
            if failed is None:
                raise
            if failed.wait is not None:
                # A moment more, so that not all who wait come back at once.
                pause = failed.wait * random.uniform(1, 1.02) + random.uniform(0, 1)  # noqa: S311
                limited += pause
                over = limited > retries.longest_limit
            else:
                attempt += 1
                pause = retries.outage(attempt)
                over = attempt >= retries.attempts
            if over:
                raise failed from None
            _log.warning("the step %s is tried again in %.0f s: %s", name, pause, failed)
            sleep(pause)


def transient_of(error: Exception) -> Transient | None:
    """What another attempt may settle; None for what it will not."""
    if isinstance(error, Transient):
        return error
    if is_outage(error):
        return Transient(f"the database did not answer: {database_reason(error)}")
    return None


WAITING = 120
"""Jobs that may wait beside those that act. GitHub limits one installation for up to an hour: its
jobs wait then, and those of the others go on."""
_LOOK = 0.5
"""Seconds after which a job that waits for a slot looks whether the process ends."""


class Slots:
    """Slots for the jobs that act; one repository has half of them at most.

    Its pull requests may take long to read, and must not keep those of the others waiting.
    """

    def __init__(self, count: int, stopping: threading.Event) -> None:
        self._free = count
        self._most = max(1, count // 2)
        self._taken: Counter[str] = Counter()
        self._stopping = stopping
        self._changed = threading.Condition()

    @contextmanager
    def taken(self, repository: str) -> Iterator[None]:
        """A slot, as soon as one is free; raises Stopping when the process ends before."""
        with self._changed:
            while not self._free or self._taken[repository] >= self._most:
                if self._stopping.is_set():
                    raise Stopping
                self._changed.wait(_LOOK)
            self._free -= 1
            self._taken[repository] += 1
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._taken[repository] -= 1
                self._taken += Counter()
                self._changed.notify_all()
