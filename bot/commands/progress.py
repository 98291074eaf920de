"""A line about work that takes long: on a terminal alone, on standard error, gone at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TextIO

from bot.commands.terminal import in_terminal
from bot.render.escape import terminal

_CLEAR: Final = "\r\x1b[K"


class ProgressLine:
    """One line that is written over and over where somebody waits."""

    def __init__(
        self,
        after: float,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`after`: seconds without a word; what is faster needs none."""
        self._after = after
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._start = clock()
        self._shown = False

    def show(self, text: str) -> None:
        """Say how far the work is, once it takes a while."""
        if self._clock() - self._start < self._after or not self._stream.isatty():
            return
        import shutil  # Brings the compressors along; hardly any start shows progress.

        width = shutil.get_terminal_size().columns - 1
        self._write(_CLEAR + terminal(in_terminal(text))[:width])
        self._shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._write(_CLEAR)
            self._shown = False

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # A terminal that went away is no fault of the work.
            self._stream.write(text)
            self._stream.flush()
