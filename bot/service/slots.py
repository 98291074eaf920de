"""How many jobs of a worker act at once; a job that waits for a limit's end takes no slot."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from bot.service.retries import Stopping

WAITING = 120
"""Jobs that may wait beside those that act. GitHub limits one installation for up to an hour: its
jobs wait then, and those of the others go on."""
_LOOK = 0.5
"""Seconds after which a job that waits for a slot looks whether the process ends."""


class Slots:
    """Slots for the jobs that act."""

    def __init__(self, count: int, stopping: threading.Event) -> None:
        self._free = threading.BoundedSemaphore(count)
        self._stopping = stopping

    @contextmanager
    def taken(self) -> Iterator[None]:
        """A slot, as soon as one is free; raises Stopping when the process ends before."""
        while not self._free.acquire(timeout=_LOOK):
            if self._stopping.is_set():
                raise Stopping
        try:
            yield
        finally:
            self._free.release()
