"""The curve of one figure of a run, in bounded memory for a stream of any length.

A trace keeps the least and the greatest value of each of at most `BUCKETS` stretches. When the
stream outgrows them, neighbours are joined and every stretch is twice as wide, so that a value is
placed to within 1/256 of the whole and nothing between two points is higher than the curve shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from bot.base.fast_dataclass import dataclass

BUCKETS: Final = 512
_FARTHEST: Final = 2.0**62
"""No step and no second is later; a stream that says so is not followed there."""
_INFINITY: Final = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A curve; x is a training step, or a time in seconds since 1970 or since the run began."""

    start: float
    """x of the first value."""
    width: float
    """How much of x one point stands for."""
    points: tuple[tuple[int, float, float], ...]
    """Number of the stretch from the start, least and greatest value in it; those with values."""
    peak: float
    """The greatest value, exactly."""
    peak_at: float
    """Its x, exactly."""

    def x(self, index: int) -> float:
        """Where a stretch begins."""
        return self.start + self.width * index

    @property
    def end(self) -> float:
        """Where the last stretch with values begins."""
        return self.x(self.points[-1][0]) if self.points else self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTraces:
    """The curves of one run."""

    memory: Mapping[int, Trace] = field(default_factory=dict)
    """GPU index to its used memory in bytes; x in seconds."""
    metrics: Mapping[str, Trace] = field(default_factory=dict)
    """Metric name to its values as logged; x in steps."""


class Tracing:
    """Takes the values of a stream one by one; values must be finite."""

    __slots__ = ("_highs", "_lows", "_start", "_width", "peak", "peak_at")

    def __init__(self) -> None:
        self._start: float | None = None
        self._width = 1.0
        self._lows = [_INFINITY] * BUCKETS
        self._highs = [-_INFINITY] * BUCKETS
        self.peak = -_INFINITY
        self.peak_at = 0.0

    def add(self, x: float, value: float) -> None:
        """Take a value; one from before the first counts to the first stretch."""
        if not -_FARTHEST < x < _FARTHEST:  # Also false for NaN.
            return
        if self._start is None:
            self._start = x
        index = int((x - self._start) / self._width)
        if index >= BUCKETS:
            index = self._widen(x - self._start)
        elif index < 0:
            index = 0
        if value < self._lows[index]:
            self._lows[index] = value
        if value > self._highs[index]:
            self._highs[index] = value
            if value > self.peak:
                self.peak, self.peak_at = value, x

    def _widen(self, far: float) -> int:
        while far / self._width >= BUCKETS:
            self._width *= 2
            for values, join, empty in (
                (self._lows, min, _INFINITY),
                (self._highs, max, -_INFINITY),
            ):
                joined = list(map(join, values[::2], values[1::2]))
                values[:] = joined + [empty] * (BUCKETS - len(joined))
        return int(far / self._width)

    def trace(self) -> Trace | None:
        """The curve so far; None without a value."""
        if self._start is None:
            return None
        return Trace(
            start=self._start,
            width=self._width,
            points=tuple(
                (index, low, high)
                for index, (low, high) in enumerate(zip(self._lows, self._highs, strict=True))
                if low <= high
            ),
            peak=self.peak,
            peak_at=self.peak_at,
        )


def from_json(data: Mapping[str, Any] | None) -> Trace | None:
    """A trace that went through JSON. Raises TypeError, KeyError or ValueError for no trace."""
    if data is None:
        return None
    points = tuple((int(index), float(low), float(high)) for index, low, high in data["points"])
    return Trace(**{**data, "points": points})
