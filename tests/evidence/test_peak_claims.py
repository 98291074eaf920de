"""Whether memory figures can be what they say they are; none of these claims accuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.evidence.facts import MetricSeries
from bot.evidence.subject import ClaimContext, ExpectedPeak
from bot.report import Evidence
from tests.evidence.samples import claim, evidence, facts, series

GIB = 2**30
ALLOCATED, RESERVED = "perf/max_memory_allocated_gb", "perf/max_memory_reserved_gb"


def names(found: Evidence) -> set[str]:
    return {each.claim for each in found.claims}


def run(*, physical: float | None = 71.2, **metrics: MetricSeries | float) -> Any:
    history = {k: v for k, v in facts().history.items() if not k.startswith("perf/")}
    for name, value in metrics.items():
        key = f"perf/max_memory_{name}_gb"
        history[key] = value if isinstance(value, MetricSeries) else series(key, value)
    system = {} if physical is None else {0: series("system.gpu.0", physical * GIB, 240)}
    return facts(history=history, system=system)


@pytest.mark.parametrize(
    ("metrics", "verdict", "words"),
    [
        ({"allocated": 61.0, "reserved": 65.0}, "consistent", "not more than what was in use"),
        ({"allocated": 61.0, "reserved": 112.9}, "inconclusive", "has given back"),
        ({"allocated": 75.0}, "inconclusive", "more than the 71.2 GiB that were seen in use"),
    ],
)
def test_the_allocators_figure_stands_beside_the_physical_one(
    metrics: dict[str, float], verdict: str, words: str
) -> None:
    found = evidence(run(**metrics))
    assert claim(found, "peak memory").source == "system stream, GPU 0"
    second = claim(found, "peak memory, allocator")
    assert (second.verdict, words in second.reason) == (verdict, True), second.reason
    assert second.reason.startswith("Of one rank")
    assert "peak memory, allocator" not in names(evidence(run(physical=None, **metrics)))
    assert found.verdict == "consistent"


def test_a_running_maximum_that_falls_is_left_to_a_person() -> None:
    assert claim(evidence(), "running maximum").verdict == "consistent"
    falling = replace(series(ALLOCATED, 61.0), last=40.0, monotone=False)
    found = evidence(run(allocated=falling))
    fell = claim(found, "running maximum")
    assert (fell.verdict, fell.observed) == ("inconclusive", "ends at 40.0 GiB")
    assert "reached 61.0 GiB and fell again" in fell.reason
    assert "running maximum" not in names(evidence(run()))
    assert "running maximum" not in names(evidence(run(allocated=series(ALLOCATED, 61.0, 1))))


def test_the_weights_alone_take_so_much() -> None:
    found = claim(evidence(run(physical=6.0)), "peak above the weights")
    # 7e9 × 0.9 × 2 bytes on two GPUs.
    assert (found.claimed, found.verdict) == ("at least 5.9 GiB", "consistent")
    low = claim(evidence(run(physical=5.7)), "peak above the weights")
    assert low.verdict == "inconclusive"
    assert "the model or the evidence is another one" in low.reason


@pytest.mark.parametrize(
    "script",
    [
        {"actor_rollout_ref__model__path": "Qwen/Qwen2.5-7B-Instruct-AWQ"},
        {"actor_rollout_ref__model__path": "/models/checkpoint-100"},
        {"actor_rollout_ref__rollout__quantization": "fp8"},
        {"load_in_4bit": True},
    ],
)
def test_what_the_weights_take_is_not_said_where_it_is_not_known(script: dict[str, Any]) -> None:
    assert "peak above the weights" not in names(evidence(run(physical=5.0), **script))


@pytest.mark.parametrize(
    ("physical", "verdict", "words"),
    [
        (60.0, "consistent", "it expects 61.2 GiB"),
        (45.0, "inconclusive", "Below 48.9 GiB, which must be resident"),
        (75.0, "inconclusive", "Above what the memory model expects at most"),
    ],
)
def test_the_estimate_when_there_is_one(physical: float, verdict: str, words: str) -> None:
    estimate = ExpectedPeak(floor_gib=48.9, expected_gib=61.2, conservative_gib=70.3)
    found = evidence(run(physical=physical), context=ClaimContext(estimate=estimate))
    against = claim(found, "peak against the estimate")
    assert (against.verdict, against.claimed) == (verdict, "48.9 to 70.3 GiB")
    assert words in against.reason
    assert "peak against the estimate" not in names(evidence(run(physical=physical)))
    allocator = evidence(
        run(physical=None, allocated=45.0), context=ClaimContext(estimate=estimate)
    )
    assert "peak against the estimate" not in names(allocator)


@pytest.mark.parametrize(
    ("figure", "reason"),
    [
        (65.0 * GIB, "reaches 69,793,218,560, which no GPU has in GiB, the unit that frameworks"),
        (65.0 * GIB, "taken for bytes it is 65.0 GiB."),
        (65.0 * 2**20, "taken for KiB it is 65.0 GiB."),
        (65.0 * 2**10, "taken for MiB it is 65.0 GiB."),
        (0.6 * GIB, "taken for bytes it is 0.6 GiB."),
        (1e30, f"{RESERVED} reaches 1.0e+30 GiB, which no GPU can hold."),
        (-1.0, f"{RESERVED} reaches -1.0 GiB: nothing trains in that."),
        (0.0, "reaches 0.0 GiB: nothing trains in that."),
        (0.001, "reaches 0.0 GiB: nothing trains in that."),
    ],
)
def test_a_figure_that_no_gpu_can_have_is_no_peak(figure: float, reason: str) -> None:
    found = evidence(run(physical=None, reserved=figure))
    peak = claim(found, "peak memory")
    assert (peak.verdict, peak.observed, found.peak_gib) == ("inconclusive", None, None)
    assert reason in peak.reason, peak.reason
    both = evidence(run(reserved=figure, allocated=figure))
    assert claim(both, "peak memory").verdict == "consistent"
    assert names(both).isdisjoint({"running maximum", "peak memory, allocator"})


def test_a_figure_of_several_cards_is_none_of_another_unit() -> None:
    """As an engine's memory that was given back makes it."""
    found = evidence(run(physical=None, reserved=612.5))
    assert found.peak_gib == 612.5
    assert "has given back" in claim(found, "peak memory").reason
