"""The extremes of metrics over a complete stream, in memory of one entry for each metric."""

from __future__ import annotations

from bot.evidence.facts import Series

_INFINITY = float("inf")


class Tally:
    """Counts, maximum, last value and monotony of one metric; NaN and infinities are left out."""

    __slots__ = ("at", "last", "maximum", "monotone", "rows")

    def __init__(self) -> None:
        self.rows = 0
        self.maximum = -_INFINITY
        self.at: int | None = None
        self.last = -_INFINITY
        self.monotone = True

    def add(self, value: float, step: int | None) -> None:
        """Take the next value of the stream."""
        if not -_INFINITY < value < _INFINITY:  # Also false for NaN.
            return
        self.rows += 1
        if value > self.maximum:
            self.maximum, self.at = value, step
        if value < self.last:
            self.monotone = False
        self.last = value

    def series(self, key: str) -> Series:
        """What was seen; at least one value must have been added."""
        return Series(
            key=key,
            rows=self.rows,
            maximum=self.maximum,
            at_step=self.at,
            last=self.last,
            monotone=self.monotone,
        )
