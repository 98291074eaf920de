"""The charts of a run: what they show, that any name is only text, and that they are SVG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from bot.base.traces import RunTraces, Trace, Tracing
from bot.render.charts import Figure, figures, standalone
from bot.render.html import page
from bot.render.plot import Curve, Level, Plot, PlotMark, svg
from tests.profiles import scaled
from tests.render import factories as make
from tests.render.judge import hostile
from tests.render.test_html import outline
from tests.service.browser import browser, needs_browser, page_of

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

TAGS = {
    *("svg", "title", "desc", "text", "line", "polyline", "polygon", "circle", "rect", "style"),
}
GIB = 2.0**30


def trace(values: Iterator[tuple[float, float]] | list[tuple[float, float]]) -> Trace:
    tracing = Tracing()
    for x, value in values:
        tracing.add(x, value)
    found = tracing.trace()
    assert found is not None
    return found


def memory(gpus: int, *, peak_on: int = 1) -> dict[int, Trace]:
    return {
        gpu: trace(
            [
                (1.7e9 + 15 * i, GIB * (71.2 if (gpu, i) == (peak_on, 300) else 30 + i % 20))
                for i in range(900)
            ]
        )
        for gpu in range(gpus)
    }


def drawn(traces: RunTraces, language: str = "en") -> tuple[Figure, ...]:
    report = make.report(make.good())
    return figures(replace(report, language=language), traces)  # type: ignore[arg-type]


def read(text: str) -> ElementTree.Element:
    root = ElementTree.fromstring(text)  # noqa: S314 - written by us
    for element in root.iter():
        assert element.tag.removeprefix("{http://www.w3.org/2000/svg}") in TAGS
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name]
        assert "style" not in element.attrib
    return root


def texts(figure: Figure) -> list[str]:
    return [element.text or "" for element in read(figure.wide).iter() if element.text]


def test_a_run_without_curves_has_no_charts() -> None:
    assert drawn(RunTraces()) == ()


def test_the_peak_is_marked_with_its_value_its_gpu_and_its_time() -> None:
    (figure,) = drawn(RunTraces(memory=memory(2)))
    assert "The peak is 71.2 GiB, on GPU 1 after 1.2 hours." in figure.caption
    assert "That is 89 % of the device&#x27;s 79.6 GiB." in figure.caption
    shown = texts(figure)
    for text in ("71.2 GiB, GPU 1", "device: 79.6 GiB", "90 %", "GPU 0", "GiB"):
        assert text in shown
    root = read(figure.wide)
    assert root.get("role") == "img"
    names = [child.tag.rsplit("}", 1)[1] for child in root][:2]
    assert names == ["title", "desc"]


def test_the_mark_stands_on_the_curve() -> None:
    (figure,) = drawn(RunTraces(memory=memory(2)))
    for form in (figure.wide, figure.narrow):
        root = read(form)
        (circle,) = (e for e in root.iter() if e.get("class") == "peak" and e.get("cx"))
        lines = [e for e in root.iter() if e.get("class") == "curve hue1" and e.get("points")]
        (points,) = (e.get("points", "").split() for e in lines)
        highest = min(points, key=lambda point: float(point.split(",")[1]))
        assert abs(float(highest.split(",")[0]) - float(circle.get("cx", "0"))) < 2
        assert highest.split(",")[1] == circle.get("cy")


def test_more_gpus_than_colours_leave_the_one_with_the_peak_in_colour() -> None:
    (figure,) = drawn(RunTraces(memory=memory(16, peak_on=11)))
    assert "The others of 16 GPUs are grey." in figure.caption
    assert figure.wide.count('class="curve rest"') == 15
    assert "GPU 11" in texts(figure)
    assert "GPU 0" not in texts(figure)


def test_without_a_system_stream_the_allocators_curve_says_that_it_is_less() -> None:
    curve = trace([(step, 50 + step / 10) for step in range(1, 100)])
    (figure,) = drawn(RunTraces(metrics={"perf/max_memory_reserved_gb": curve}))
    assert "The highest is 59.9 GiB, at step 99" in figure.caption
    assert "The run has no system stream." in figure.caption


def test_lengths_batches_and_speed(snapshot: SnapshotAssertion) -> None:
    curve = trace([(step, 100.0 * step) for step in range(1, 5)])
    metrics = dict.fromkeys(
        ("response_length/mean", "prompt_length/mean", "global_seqlen/max", "perf/throughput"),
        curve,
    )
    found = drawn(RunTraces(metrics={**metrics, "loss": curve}))
    assert [figure.caption for figure in found] == snapshot
    assert found[0].wide == snapshot


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_holds_them_after_the_table(language: str) -> None:
    found = drawn(RunTraces(memory=memory(2)), language)
    html = page("intro\n\n| a |\n| - |\n| 1 |\n\nend\n", "t", figures=found)
    assert html.index("</table>") < html.index("<figure>") < html.index("<p>end")
    assert outline(html).open == []
    for _, name, _ in outline(html).attributes:
        assert name not in ("style", "href", "onload")
    assert "<figure>" not in page("intro", "t")


def test_a_document_of_its_own_brings_its_colours() -> None:
    (figure,) = drawn(RunTraces(memory=memory(1, peak_on=0)))
    document = standalone(figure)
    assert "prefers-color-scheme: dark" in document
    read(document)


NUMBERS = st.floats(-1e15, 1e15) | st.sampled_from([0.0, 1e-300, 5e-324])


@settings(max_examples=scaled(200))
@given(
    hostile,
    hostile,
    st.lists(st.tuples(st.floats(-1e12, 1e12), NUMBERS), min_size=1, max_size=20),
    NUMBERS,
)
def test_any_name_and_any_number_is_a_chart(
    name: str, other: str, values: list[tuple[float, float]], level: float
) -> None:
    curve = trace(values)
    text = svg(
        Plot(
            title=name,
            described=other,
            x_name=name,
            y_name=other,
            curves=(Curve(name=name, trace=curve, hue=3, band=True),),
            levels=(Level(value=level, name=other), Level(value=level, name=name, beside=True)),
            mark=PlotMark(x=curve.peak_at, value=curve.peak, name=other),
        ),
        width=356,
        height=280,
    )
    read(text)
    assert "nan" not in "".join(line for line in text.splitlines() if "points=" in line)
    found = outline(text)
    assert found.tags <= TAGS
    assert found.open == []


@pytest.mark.browser
@needs_browser
def test_the_page_in_a_browser() -> None:
    found = drawn(RunTraces(memory=memory(2)))
    html = page("intro\n\n| a |\n| - |\n| 1 |\n", "t", figures=found)
    with browser() as launched, page_of(launched, scripts=True) as (opened, said):
        opened.set_content(html)
        assert said == []  # The policy refuses nothing that the page needs.
        for width, least in ((390, 340), (1280, 790)):
            opened.set_viewport_size({"width": width, "height": 900})
            seen = [svg for svg in opened.locator("svg.chart").all() if svg.is_visible()]
            assert len(seen) == 1
            box = seen[0].bounding_box()
            assert box is not None
            assert box["width"] <= width
            # Not scaled down: its text is as large as it is written.
            assert box["width"] > least
            assert opened.evaluate("document.documentElement.scrollWidth") <= width
            inks = []
            for scheme in SCHEMES:
                opened.emulate_media(color_scheme=scheme)
                text = seen[0].locator("text").first
                inks.append(text.evaluate("e => getComputedStyle(e).fill"))
            assert inks == ["rgb(31, 35, 40)", "rgb(240, 246, 252)"]
