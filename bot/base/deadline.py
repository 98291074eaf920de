"""A deadline in processor time, for library code that cannot count its own steps."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

_SOON = 0.001
"""Seconds to a deadline that passed meanwhile; none would mean that there is no deadline."""

_AGAIN = 1.0
"""Seconds until the next try where the first one got lost."""

_set_handler = import_module("_signal").signal
"""What `signal.signal` calls, without making an enumeration's member of the handler before: that
raises, and enters a `finally` such as the one below, where no memory is left."""

_TICK = 0.02
"""Seconds, at most, by which the system's timer ends later than it was asked to."""


class DeadlineError(BaseException):
    """The time is over. No `except Exception` on the way may take it for its own fault."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raises DeadlineError within the block after so much processor time of the process.

    Within the block of another one, the nearer of both ends holds.
    Where there are no such signals (Windows, a thread that is not the main one) nothing is bounded:
    what strangers wrote is read in processes of its own there (`bot.base.isolated`).
    """
    timer = _Timer(seconds)
    # No instruction of this function may lie further than 256 from its start: to enter `finally`
    # CPython 3.11 makes an integer of that place, and tries for ever where no memory is left.
    try:
        yield
        timer.check()
    finally:
        timer.end()


class _Timer:
    """The signal after so much processor time, where there is one and no nearer end holds."""

    def __init__(self, seconds: float) -> None:
        ours = threading.current_thread() is threading.main_thread()
        ours = ours and hasattr(signal, "setitimer")
        self._outer = signal.getitimer(signal.ITIMER_PROF)[0] if ours else 0.0
        self._runs = ours and not 0 < self._outer <= seconds + _TICK
        if not self._runs:
            return

        def end(_number: int, _frame: object) -> None:
            raise DeadlineError

        self._seconds = seconds
        self._before = _set_handler(signal.SIGPROF, end)
        self._begun = time.process_time()
        # Again and again, since Python drops what is raised while it collects garbage.
        signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)

    def check(self) -> None:
        """Raise where the signal came in such a moment."""
        if self._runs and time.process_time() - self._begun >= self._seconds:
            raise DeadlineError

    def end(self) -> None:
        """Take the signal back, and set the outer one again."""
        if not self._runs:
            return
        signal.setitimer(signal.ITIMER_PROF, 0)
        _set_handler(signal.SIGPROF, self._before)
        if self._outer:
            left = self._outer - (time.process_time() - self._begun)
            signal.setitimer(signal.ITIMER_PROF, max(left, _SOON), _AGAIN)
