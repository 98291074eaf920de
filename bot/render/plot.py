"""A chart with two axes as SVG: classes and plain attributes only, no style, no script, no link.

Colours come from the classes, which `CHART_CSS` of the style sheet gives values for light and dark
surroundings. Texts pass through `html_text`, which is safe in XML too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.base.traces import Trace
from bot.render.columns import width_of
from bot.render.escape import clip, html_text

HUES: Final = 8
_CHARACTER: Final = 6.6
"""Width of a character of 12 pixels, about: a wide one counts twice."""
_LEFT: Final = 52
_RIGHT: Final = 14
_BESIDE: Final = 40
_BELOW: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One line of a chart."""

    name: str
    """As the legend shows it; none when empty."""
    trace: Trace
    hue: int | None
    """Which of the colours, from 0; None for a line in the background."""
    band: bool = False
    """Whether the least values are shown too, as an area."""
    front: bool = False
    """Whether it is drawn over the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A horizontal line."""

    value: float
    name: str
    strong: bool = False
    beside: bool = False
    """Whether the name stands beside the chart, where only a short one has room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotMark:
    """A point with a label."""

    x: float
    value: float
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """What a chart shows; x is divided by `x_scale` and values by `y_scale` before they count."""

    title: str
    described: str
    x_name: str
    y_name: str
    curves: tuple[Curve, ...]
    levels: tuple[Level, ...] = ()
    mark: PlotMark | None = None
    x_scale: float = 1.0
    y_scale: float = 1.0
    x_start: float | None = None
    """x that the axis calls 0; None when x is shown as it is."""


def svg(plot: Plot, *, width: int, height: int) -> str:
    """The chart as an `svg` element of `width` times `height` pixels, without a style."""
    legend = list(_legend(plot.curves, width))
    top = 24 + 18 * (1 + max((row for _, row, _ in legend), default=-1))
    frame = _Frame(plot, width, height, top)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">'
        ),
        f"<title>{html_text(plot.title)}</title>",
        f"<desc>{html_text(plot.described)}</desc>",
        *(_legend_item(x, row, curve) for x, row, curve in legend),
        _text(2, top - 10, plot.y_name, "axis"),
    ]
    parts += frame.axes(plot.x_name)
    for curve in sorted(plot.curves, key=lambda c: (c.hue is not None, c.front)):
        parts += frame.curve(curve)
    parts += frame.levels(plot.levels)
    if plot.mark is not None:
        parts += frame.mark(plot.mark)
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Frame:
    """The rectangle of the data, and how values become places in it."""

    def __init__(self, plot: Plot, width: int, height: int, top: int) -> None:
        beside = any(level.beside for level in plot.levels)
        self.left, self.right = _LEFT, width - (_BESIDE if beside else _RIGHT)
        self.top, self.bottom = top, height - _BELOW
        self._plot = plot
        traces = [curve.trace for curve in plot.curves]
        self._zero = plot.x_start if plot.x_start is not None else 0.0
        self._first = min((self._x(t.start) for t in traces), default=0.0)
        last = max((self._x(t.end) for t in traces), default=1.0)
        self._last = last if last > self._first else self._first + max(1.0, abs(self._first) * 1e-9)
        highs = [high for t in traces for _, _, high in t.points]
        most = max([*(abs(h) for h in highs), *(level.value for level in plot.levels)], default=1.0)
        self._least = min([0.0, *(low for t in traces for _, low, _ in t.points)]) / plot.y_scale
        most = (most / plot.y_scale or 1.0) * (1.06 if plot.mark is None else 1.15)
        self._most = max(most, self._least + 1e-6)

    def _x(self, x: float) -> float:
        return (x - self._zero) / self._plot.x_scale

    def across(self, x: float) -> float:
        share = (self._x(x) - self._first) / (self._last - self._first)
        return self.left + min(1.0, max(0.0, share)) * (self.right - self.left)

    def up(self, value: float) -> float:
        share = (value / self._plot.y_scale - self._least) / (self._most - self._least)
        return self.bottom - min(1.0, max(0.0, share)) * (self.bottom - self.top)

    def axes(self, x_name: str) -> Iterable[str]:
        plot = self._plot
        ticks, decimals = _ticks(self._least, self._most, max(2, (self.bottom - self.top) // 34))
        for tick in ticks:
            y = self.up(tick * plot.y_scale)
            yield _line("grid", self.left, y, self.right, y)
            yield _text(self.left - 6, y + 4, _number(tick, decimals), "axis", anchor="end")
        room = max(2, (self.right - self.left) // 62)
        ticks, decimals = _ticks(
            self._first, self._last, room, finest=1.0 if plot.x_start is None else 0.0
        )
        for tick in ticks:
            x = self.across(tick * plot.x_scale + self._zero)
            yield _line("tick", x, self.bottom, x, self.bottom + 4)
            yield _text(x, self.bottom + 17, _number(tick, decimals), "axis", anchor="middle")
        yield _line("base", self.left, self.bottom, self.right, self.bottom)
        yield _text(self.right, self.bottom + 33, x_name, "axis", anchor="end")

    def curve(self, curve: Curve) -> Iterable[str]:
        trace, hue = curve.trace, "rest" if curve.hue is None else f"hue{curve.hue % HUES}"
        highs = [(self.across(trace.x(i)), self.up(high)) for i, _, high in trace.points]
        if curve.band:
            lows = [(self.across(trace.x(i)), self.up(low)) for i, low, _ in trace.points]
            yield f'<polygon class="band {hue}" points="{_points(highs + lows[::-1])}"/>'
        if len(highs) == 1:
            yield f'<circle class="dot {hue}" cx="{highs[0][0]:.1f}" cy="{highs[0][1]:.1f}" r="3"/>'
        yield f'<polyline class="curve {hue}" points="{_points(highs)}"/>'

    def levels(self, levels: tuple[Level, ...]) -> Iterable[str]:
        mark = self._plot.mark
        # The mark's label stands in the same row.
        left = mark is not None and self.across(mark.x) > (self.left + self.right) / 2
        for level in levels:
            y = self.up(level.value)
            yield _line("level strong" if level.strong else "level", self.left, y, self.right, y)
            if level.beside:
                yield _text(self.right + 4, y + 4, level.name, "label")
            elif left:
                yield _text(self.left + 4, y - 5, level.name, "label")
            else:
                yield _text(self.right - 2, y - 5, level.name, "label", anchor="end")

    def mark(self, mark: PlotMark) -> Iterable[str]:
        x, y = self.across(mark.x), self.up(mark.value)
        yield _line("leader", x, self.top + 14, x, max(self.top + 14, y - 4.5))
        yield f'<circle class="peak" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
        half = _CHARACTER * width_of(mark.name) / 2
        at = min(max(x, self.left + half + 4), self.right - half - 4)
        yield _text(at, self.top + 10, mark.name, "label peak", anchor="middle")


def _legend(curves: tuple[Curve, ...], width: int) -> Iterable[tuple[float, int, Curve]]:
    x, row = 2.0, 0
    for curve in curves:
        if not curve.name:
            continue
        takes = 24 + _CHARACTER * width_of(clip(curve.name, 40)) + 14
        if x > 2.0 and x + takes > width:
            x, row = 2.0, row + 1
        yield x, row, curve
        x += takes


def _legend_item(x: float, row: int, curve: Curve) -> str:
    hue = "rest" if curve.hue is None else f"hue{curve.hue % HUES}"
    y = 11 + 18 * row
    return _line(f"curve {hue}", x, y, x + 18, y) + _text(x + 24, y + 4, curve.name, "label")


def _text(x: float, y: float, text: str, kind: str, *, anchor: str = "start") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'font-family="sans-serif" font-size="12">{html_text(clip(text, 40))}</text>'
    )


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _points(places: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _ticks(
    least: float, most: float, count: int, *, finest: float = 0.0
) -> tuple[list[float], int]:
    """At most about `count` round numbers between the two, and the decimals that they need."""
    rough = (most - least) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    step = max(step, finest)
    first = math.ceil(least / step - 1e-9)
    ticks = [step * (first + i) for i in range(count + 2) if step * (first + i) <= most * 1.000001]
    return ticks, max(0, -math.floor(math.log10(step) + 1e-9))


def _number(value: float, decimals: int) -> str:
    units: tuple[tuple[float, str], ...] = ((1e9, "G"), (1e6, "M"), (1e4, "k"))
    for size, name in units:
        if abs(value) >= size:
            scale = 1e3 if name == "k" else size
            return f"{value / scale:,.6g}{name}"
    return f"{value + 0.0:,.{decimals}f}"
