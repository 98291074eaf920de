"""Repeats a task in a thread of its own, beside the process's jobs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

_log = logging.getLogger("rlbot.run")


class Repeated:
    """Acts at once and then regularly; what fails today is tried again the next time."""

    def __init__(self, name: str, act: Callable[[], object], interval: float) -> None:
        """`interval`: seconds from the end of one time to the next."""
        self._name, self._act, self._interval = name, act, interval
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, patience: float = 0.0) -> None:
        """Stop; what is being done is waited for up to `patience` seconds."""
        self._stopped.set()
        if patience and self._thread.ident is not None:
            self._thread.join(patience)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._act()
            except Exception as error:
                _log.warning("%s failed: %s: %s", self._name, type(error).__name__, error)
            self._stopped.wait(self._interval)
