"""Out-of-memory errors in the console output of a run.

verl reports some runs that died so as "finished" (before 0.9.0), so the console decides.
"""

from __future__ import annotations

import re

from bot.base.regex import regex

OUT_OF_MEMORY = regex(
    r"\bOutOfMemoryError\)?\s*:"  # PyTorch's, Ray's of the host, RayTaskError(OutOfMemoryError)
    r"|\b(?:CUDA|HIP|NPU|XPU) out of memory\. Tried to allocate"
    r"|\b(?:CUDA|HIP) error: out of memory"
    r"|\bcudaErrorMemoryAllocation\b"
)
"""What PyTorch, CUDA and Ray print; prose about memory does not match."""

_ESCAPES = regex(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


class Console:
    """Joins fragments of output to lines and keeps the first that reports an OOM error."""

    def __init__(self, line_characters: int) -> None:
        self.found: str | None = None
        self._limit = line_characters
        self._rest = ""

    def feed(self, text: str) -> None:
        """Take the next fragment; lines may be split anywhere."""
        if self.found is not None:
            return
        self._rest += text
        if "\n" not in text and "\r" not in text and len(self._rest) < self._limit:
            return
        *lines, self._rest = re.split(r"[\r\n]+", self._rest)
        for line in lines:
            self._look(line)
        if len(self._rest) >= self._limit:
            self._look(self._rest)
            # An error text that straddles the cut is shorter than this.
            self._rest = self._rest[-200:]

    def close(self) -> str | None:
        """The first line that reports an out-of-memory error, or None."""
        if self.found is None:
            self._look(self._rest)
        self._rest = ""
        return self.found

    def _look(self, line: str) -> None:
        if self.found is None and OUT_OF_MEMORY.search(line):
            self.found = _ESCAPES.sub("", line).strip()
