"""A line about work that takes long: on a terminal alone, on standard error, gone at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TextIO

from bot.base.messages import message
from bot.commands.terminal import in_terminal
from bot.render.escape import terminal

AFTER: Final = 2.0
"""Seconds without a word; what is faster needs none."""
_CLEAR: Final = "\r\x1b[K"


class ScriptProgress:
    """Counts what was done; says so where somebody waits."""

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._start = clock()
        self._count = 0
        self._shown = False

    def begin(self, path: str) -> None:
        """The next script is read."""
        self._count += 1
        if self._clock() - self._start < AFTER or not self._stream.isatty():
            return
        text = message("reading script {count}: {path}", count=self._count, path=terminal(path))
        import shutil  # Brings the compressors along; hardly any start shows progress.

        width = shutil.get_terminal_size().columns - 1
        self._write(_CLEAR + in_terminal(text)[:width])
        self._shown = True

    def end(self) -> None:
        """Take the line away."""
        if self._shown:
            self._write(_CLEAR)
            self._shown = False

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # A terminal that went away is no fault of the work.
            self._stream.write(text)
            self._stream.flush()
