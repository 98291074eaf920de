"""Curves in bounded memory: the peak exact, nothing higher than the curve shows."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.base.traces import BUCKETS, Trace, Tracing, from_json
from bot.evidence.facts import Facts, MetricSeries
from bot.evidence.online import wire
from bot.evidence.record import record
from tests.profiles import scaled

PLACES = st.integers(0, 10**7) | st.floats(-1e12, 1e12)
VALUES = st.lists(st.tuples(PLACES, st.floats(-1e9, 1e9)), min_size=1, max_size=200)


def traced(values: list[tuple[float, float]]) -> Trace:
    tracing = Tracing()
    for x, value in values:
        tracing.add(x, value)
    trace = tracing.trace()
    assert trace is not None
    return trace


@settings(max_examples=scaled(200))
@given(VALUES)
def test_every_value_lies_in_the_stretch_of_its_place(values: list[tuple[float, float]]) -> None:
    trace = traced(values)
    assert len(trace.points) <= BUCKETS
    points = {index: (low, high) for index, low, high in trace.points}
    assert len(points) == len(trace.points)
    for x, value in values:
        low, high = points[max(0, math.floor((x - trace.start) / trace.width))]
        assert low <= value <= high
    assert trace.peak == max(value for _, value in values)
    assert trace.peak == max(high for _, _, high in trace.points)
    assert trace.peak_at == next(x for x, value in values if value == trace.peak)


def test_a_long_stream_keeps_its_shape_and_its_peak() -> None:
    trace = traced([(step, 99.5 if step == 77_777 else step % 7) for step in range(200_000)])
    assert BUCKETS / 2 <= len(trace.points) <= BUCKETS
    assert (trace.peak, trace.peak_at) == (99.5, 77_777)
    assert trace.width == 512
    assert {(low, high) for _, low, high in trace.points} == {(0, 6), (0, 99.5)}


def test_places_that_are_none_are_left_out() -> None:
    tracing = Tracing()
    for x in (math.nan, math.inf, -math.inf, 1e300, 10**400):
        tracing.add(x, 1.0)
    assert tracing.trace() is None


@given(VALUES)
def test_a_trace_survives_the_way_from_the_reading_process(
    values: list[tuple[float, float]],
) -> None:
    trace = traced(values)
    assert from_json(json.loads(json.dumps(asdict(trace)))) == trace
    series = MetricSeries(key="k", rows=1, maximum=1, at_step=1, last=1, monotone=True, trace=trace)
    facts = Facts(source="x", history={"k": series}, system={3: series})
    back = wire.from_json(json.loads(json.dumps(wire.to_json(facts))))
    assert back.traces() == facts.traces()
    assert back.traces().memory == {3: trace}


def test_a_curve_is_no_fact() -> None:
    series = [
        MetricSeries(key="k", rows=1, maximum=1, at_step=1, last=1, monotone=True, trace=trace)
        for trace in (None, traced([(1, 1)]))
    ]
    first, second = (
        record(Facts(source="x", history={"response_length/max": one}, system={0: one}), [])
        for one in series
    )
    assert "system GPU 0 maximum" in first.values
    assert first == second
