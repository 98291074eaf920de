"""What a running command prints of its steps, taken as it is printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.base.regex import regex
from bot.evidence.console import Console, ConsoleLine, plain_line
from bot.evidence.console_openrlhf import OpenRlhfLog
from bot.evidence.console_verl import VerlLog
from bot.evidence.facts import MetricSeries
from bot.evidence.metrics import COMPARED

_LINE: Final = 65_536
_METRICS: Final = 2_000
_WORTH: Final = (b"step", b"emory")
"""What a line with a step, or of an out-of-memory error, holds: the rest is passed over."""
_ENDS: Final = regex(rb"[\r\n]+")


class PrintedLog:
    """Takes chunks of output; a line may end in a later one."""

    def __init__(self) -> None:
        self._verl, self._openrlhf = VerlLog(_METRICS), OpenRlhfLog(_METRICS, _LINE)
        self._console = Console(_LINE)
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """Take the next chunk. Never raises."""
        *lines, self._rest = _ENDS.split(self._rest + data)
        if len(self._rest) > _LINE:
            lines.append(self._rest)
            self._rest = b""
        for line in lines:
            if any(word in line for word in _WORTH):
                self._take(plain_line(line[:_LINE].decode("utf-8", "replace")))

    def close(self) -> tuple[Mapping[str, MetricSeries], str | None]:
        """The metrics that are evidence, and the line of an out-of-memory error."""
        self.feed(b"\n")
        log = self._openrlhf if self._openrlhf.steps > self._verl.steps else self._verl
        history = {
            key: tally.series(key)
            for key, tally in log.history.items()
            if tally.rows and key in COMPARED
        }
        return history, self._console.close()

    def _take(self, line: ConsoleLine) -> None:
        if not line.text.startswith("{'"):  # A configuration, of which lines are left out here.
            self._verl.take(line)
        self._openrlhf.take(line)
        self._console.feed(line.text + "\n")
