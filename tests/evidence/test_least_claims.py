"""Whether a run leaves the tag MIN standing; it never contradicts a script."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.evidence.facts import Facts, MetricSeries
from bot.evidence.subject import ClaimContext, ExpectedPeak
from bot.report import Claim, Evidence
from tests.evidence.samples import claim, config, evidence, facts, gpu, series

GIB = 2**30
MIN = ClaimContext(tag="MIN")
SHARE = "actor_rollout_ref__rollout__gpu_memory_utilization"


def run(physical: float | None = 30.0, **changes: Any) -> Facts:
    """A run on two H800 whose engine takes a third of the card."""
    history: dict[str, MetricSeries | None] = {
        **facts().history,
        "perf/max_memory_allocated_gb": series("perf/max_memory_allocated_gb", 26.0),
        **changes.pop("history", {}),
    }
    streams = {} if physical is None else dict.fromkeys(range(2), physical * GIB)
    given = {
        "config": config(**{SHARE: 0.3}),
        "history": {key: value for key, value in history.items() if value is not None},
        "system": {i: series(f"system.gpu.{i}", most, 240) for i, most in streams.items()},
    }
    return facts(**{**given, **changes})


def compared(found: Facts, context: ClaimContext = MIN, **script: Any) -> Evidence:
    return evidence(found, context=context, **{SHARE: 0.3, **script})


def least(found: Evidence) -> Claim | None:
    return next((c for c in found.claims if c.claim == "least hardware"), None)


@pytest.mark.parametrize("tag", [None, "RECOMMENDED"])
def test_only_min_promises_the_least(tag: str | None) -> None:
    assert least(compared(run(), ClaimContext(tag=tag))) is None


RESERVED = "perf/max_memory_reserved_gb"


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(run(None), id="the allocator alone may leave the engine out"),
        pytest.param(run(config=config(**{SHARE: 0.6})), id="less than the engine alone takes"),
        pytest.param(run(system={0: series("system.gpu.0", 30 * GIB, 240)}), id="one of two GPUs"),
        pytest.param(run(gpus=(gpu("NVIDIA X1", 79.6),) * 2), id="a card that nobody knows"),
        pytest.param(run(gpus=()), id="no card at all"),
        pytest.param(
            run(gpus=(gpu("NVIDIA H800", 79.6), gpu("NVIDIA H20", 95.6))), id="two kinds of cards"
        ),
        pytest.param(run(out_of_memory="CUDA out of memory"), id="out of memory"),
        pytest.param(
            run(history={"response_length/max": series("response_length/max", 300)}),
            id="full length was not seen",
        ),
        pytest.param(
            run(history={"training/global_step": series("training/global_step", 7, 7)}),
            id="seven steps",
        ),
        pytest.param(
            run(history={RESERVED: series(RESERVED, 112.9)}), id="the engine's released pool"
        ),
        pytest.param(
            run(history={"perf/max_memory_allocated_gb": series("x", 31.0)}),
            id="samples missed the peak",
        ),
        pytest.param(run(5.7), id="less than the weights"),
        pytest.param(run(0.0), id="GPUs that did not train"),
    ],
)
def test_without_grounds_nothing_is_said(found: Facts) -> None:
    assert least(compared(found)) is None


def test_a_peak_below_the_floor_is_another_question() -> None:
    estimate = ExpectedPeak(floor_gib=40.0, expected_gib=50.0, conservative_gib=60.0)
    assert least(compared(run(), replace(MIN, estimate=estimate))) is None


def test_several_nodes_are_seen_by_one_host_alone() -> None:
    found = run(config=config(**{SHARE: 0.3, "trainer__nnodes": 2}))
    assert least(compared(found, trainer__nnodes=2)) is None


@pytest.mark.parametrize("physical", [35.8, 71.2])
def test_a_peak_above_half_the_card_leaves_the_tag_alone(physical: float) -> None:
    found = least(compared(run(physical)))
    assert found is not None
    assert (found.verdict, found.claimed) == ("consistent", "MIN: above 35.7 GiB")


def test_what_the_allocator_saw_between_samples_counts() -> None:
    found = least(compared(run(35.6, history={RESERVED: series(RESERVED, 36.0)})))
    assert found is not None
    assert found.verdict == "consistent"


def test_a_peak_far_below_the_card_is_left_to_a_person() -> None:
    found = compared(run())
    said = claim(found, "least hardware")
    assert (said.verdict, said.observed) == ("inconclusive", "30.0 GiB")
    assert said.source == "system stream, GPU 0"
    assert said.reason == (
        "Twice the peak is 60.0 GiB, and the H800 gives 79.3 GiB: half the GPUs, or cards of "
        "half the memory, would do. Try it there, or tag the row RECOMMENDED."
    )
    assert found.verdict == "consistent"  # A tag is no reason to refuse a row.


def test_of_one_gpu_no_half_is_offered() -> None:
    found = run(config=config(**{SHARE: 0.3, "trainer__n_gpus_per_node": 1}))
    said = claim(compared(found, trainer__n_gpus_per_node=1), "least hardware")
    assert "gives 79.3 GiB: a card of half the memory would do." in said.reason
