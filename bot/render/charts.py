"""The charts of a run: memory of each GPU, lengths, batches, speed, and the estimate's bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.base.traces import RunTraces, Trace
from bot.render.escape import clip, html_text
from bot.render.estimates import drawing, headline
from bot.render.plot import HUES, Curve, Level, Plot, PlotMark, svg
from bot.render.speech import speaking, tr
from bot.report import Report, ScriptReport


def _sheet(name: str) -> str:
    return "\n" + Path(__file__).with_name(name).read_text(encoding="utf-8")


CSS = _sheet("page.css")
CHART_CSS = _sheet("charts.css")
"""Its eight hues stay apart on white and on near-black, and in order for those who see no red."""
FIGURE_CSS = _sheet("figures.css")


_GIB: Final = float(2**30)
WIDE: Final = 800
NARROW: Final = 356
_RESERVED: Final = (
    *("perf/max_memory_reserved_gb", "actor/perf/max_memory_reserved_gb"),
    "critic/perf/max_memory_reserved_gb",
)
_LENGTHS: Final[tuple[tuple[str, ...], ...]] = (
    ("response_length/max",),
    ("response_length/mean", "train/response_length"),
    ("prompt_length/max",),
    ("prompt_length/mean",),
)
_BATCH: Final[tuple[tuple[str, ...], ...]] = (("perf/total_num_tokens",), ("global_seqlen/max",))
_SPEED: Final[tuple[tuple[str, ...], ...]] = (("perf/throughput",),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A drawing with its caption; both forms are SVG elements made here, safe in a page."""

    caption: str
    """HTML."""
    wide: str
    narrow: str
    """The same for a phone."""


def figures(report: Report, traces: RunTraces) -> tuple[Figure, ...]:
    """The figures of a report of one script and its run; none for what the run did not record."""
    with speaking(report.language):
        found = []
        for script in report.scripts:
            plots = [
                _memory(script, traces.memory) or _reserved(script, traces.metrics),
                _lengths(script, traces.metrics),
                _over_steps(tr("Tokens in a step"), tr("tokens"), _BATCH, traces.metrics),
                _over_steps(tr("Speed"), tr("tokens/s per GPU"), _SPEED, traces.metrics),
            ]
            found += [_figure(plot) for plot in plots if plot is not None]
            if script.estimate is not None and script.estimate.stages:
                estimate = script.estimate
                found.append(
                    Figure(
                        caption=html_text(
                            tr("Memory budget: {what}", what=headline(estimate, script.evidence))
                        ),
                        wide=drawing(script.path, estimate, width=WIDE, heading=False),
                        narrow=drawing(script.path, estimate, width=NARROW, heading=False),
                    )
                )
        return tuple(found)


def standalone(figure: Figure) -> str:
    """A figure as an SVG document of its own, in light or dark as the reader's system is."""
    opening, rest = figure.wide.split(">", 1)
    return f"{opening}><style>{CHART_CSS}</style>{rest}"


def _figure(plot: Plot) -> Figure:
    return Figure(
        caption=f"<strong>{html_text(plot.title)}</strong>. {html_text(plot.described)}",
        wide=svg(plot, width=WIDE, height=300),
        narrow=svg(plot, width=NARROW, height=280),
    )


def _memory(script: ScriptReport, memory: Mapping[int, Trace]) -> Plot | None:
    if not memory:
        return None
    gpu = max(memory, key=lambda index: memory[index].peak)
    peak = memory[gpu]
    start = min(trace.start for trace in memory.values())
    span = max(trace.end for trace in memory.values()) - start
    scale, unit = _time(span)
    # More lines than colours: the one with the peak, before all others.
    few = len(memory) <= HUES
    curves = [
        Curve(
            name=tr("GPU {number}", number=index) if few or index == gpu else "",
            trace=trace,
            hue=place if few else 0 if index == gpu else None,
            band=index == gpu,
            front=index == gpu,
        )
        for place, (index, trace) in enumerate(memory.items())
    ]
    device = script.evidence.device_gib if script.evidence is not None else None
    after = f"{max(0.0, peak.peak_at - start) / scale:,.1f}"
    values = {"peak": f"{peak.peak / _GIB:.1f}", "gpu": gpu, "time": f"{after} {unit}"}
    description = tr("The peak is {peak} GiB, on GPU {gpu} after {time}.", **values)
    if device:
        description += " " + tr(
            "That is {share} % of the device's {device} GiB.",
            share=f"{100 * peak.peak / _GIB / device:.0f}",
            device=f"{device:.1f}",
        )
    if not few:
        description += " " + tr("The others of {count} GPUs are grey.", count=len(memory))
    return Plot(
        title=tr("Memory in use on each GPU"),
        described=description,
        x_name=unit,
        y_name="GiB",
        curves=tuple(curves),
        levels=_device_levels(device, _GIB),
        mark=PlotMark(
            x=peak.peak_at,
            value=peak.peak,
            name=tr("{peak} GiB, GPU {gpu}", peak=values["peak"], gpu=gpu),
        ),
        x_scale=scale,
        y_scale=_GIB,
        x_start=start,
    )


def _reserved(script: ScriptReport, metrics: Mapping[str, Trace]) -> Plot | None:
    """What PyTorch's allocator held, where the run has no system stream; it is less than all."""
    found = {key: metrics[key] for key in _RESERVED if key in metrics}
    if not found:
        return None
    peak = max(found.values(), key=lambda trace: trace.peak)
    shown = f"{peak.peak:.1f}"
    return Plot(
        title=tr("Memory that PyTorch held on the fullest GPU"),
        described=tr(
            "The highest is {peak} GiB, at step {step}; other processes and CUDA itself are not in "
            "it. The run has no system stream.",
            peak=shown,
            step=f"{peak.peak_at:.0f}",
        ),
        x_name=tr("steps"),
        y_name="GiB",
        curves=_curves([(key,) for key in found], metrics),
        levels=_device_levels(script.evidence.device_gib if script.evidence else None, 1.0),
        mark=PlotMark(x=peak.peak_at, value=peak.peak, name=f"{shown} GiB"),
    )


def _lengths(script: ScriptReport, metrics: Mapping[str, Trace]) -> Plot | None:
    plot = _over_steps(tr("Lengths"), tr("tokens"), _LENGTHS, metrics)
    limit = script.plan.max_response_length if script.plan is not None else None
    if plot is None or limit is None:
        return plot
    return replace(
        plot, levels=(Level(value=limit, name=tr("most of a response: {tokens}", tokens=limit)),)
    )


def _over_steps(
    title: str, unit: str, groups: tuple[tuple[str, ...], ...], metrics: Mapping[str, Trace]
) -> Plot | None:
    curves = _curves(groups, metrics)
    if not curves:
        return None
    highest = [
        tr(
            "{metric}: at most {value}, at step {step}",
            metric=curve.name,
            value=_short(curve.trace.peak),
            step=f"{curve.trace.peak_at:.0f}",
        )
        for curve in curves
    ]
    return Plot(
        title=title,
        described=tr("; ").join(highest) + tr("."),
        x_name=tr("steps"),
        y_name=unit,
        curves=curves,
    )


def _curves(groups: Iterable[tuple[str, ...]], metrics: Mapping[str, Trace]) -> tuple[Curve, ...]:
    keys = [next((key for key in names if key in metrics), None) for names in groups]
    return tuple(
        Curve(name=key, trace=metrics[key], hue=hue, band=True)
        for hue, key in enumerate(keys)
        if key is not None
    )


def _device_levels(device: float | None, scale: float) -> tuple[Level, ...]:
    if not device:
        return ()
    return (
        Level(
            value=device * scale,
            name=tr("device: {device} GiB", device=f"{device:.1f}"),
            strong=True,
        ),
        Level(value=0.9 * device * scale, name="90 %", beside=True),
    )


def _time(span: float) -> tuple[float, str]:
    if span >= 7200:
        return 3600.0, tr("hours")
    return (60.0, tr("minutes")) if span >= 120 else (1.0, tr("seconds"))


def _short(value: float) -> str:
    return clip(f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.4g}", 24)
