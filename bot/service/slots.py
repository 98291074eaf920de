"""How many jobs of a worker act at once; a job that waits for a limit's end takes no slot."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from bot.service.retries import Stopping

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
