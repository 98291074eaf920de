"""The extremes and the curves of metrics over a complete stream, in bounded memory."""

from __future__ import annotations

from bot.base.traces import Tracing
from bot.evidence.facts import MetricSeries

_INFINITY = float("inf")


class Tally:
    """Counts, maximum, last value and monotony of one metric; NaN and infinities are left out."""

    __slots__ = ("at", "last", "maximum", "monotone", "rows", "tracing")

    def __init__(self, *, traced: bool = False) -> None:
        self.rows = 0
        self.maximum = -_INFINITY
        self.at: int | None = None
        self.last = -_INFINITY
        self.monotone = True
        self.tracing = Tracing() if traced else None

    def add(self, value: float, step: int | None, time: float | None = None) -> None:
        """Take the next value of the stream; the curve follows the step, or the time without."""
        if not -_INFINITY < value < _INFINITY:  # Also false for NaN.
            return
        self.rows += 1
        if value > self.maximum:
            self.maximum, self.at = value, step
        if value < self.last:
            self.monotone = False
        self.last = value
        if self.tracing is not None:
            x = step if step is not None else time
            if x is not None:
                self.tracing.add(x, value)

    def series(self, key: str) -> MetricSeries:
        """What was seen; at least one value must have been added."""
        return MetricSeries(
            key=key,
            rows=self.rows,
            maximum=self.maximum,
            at_step=self.at,
            last=self.last,
            monotone=self.monotone,
            trace=None if self.tracing is None else self.tracing.trace(),
        )
