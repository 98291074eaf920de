"""The search: it ends, the bracket closes at the true edge, in no more runs than are promised."""

from __future__ import annotations

from math import ceil, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.bisect.search import DOUBLINGS, bisection, doubled, doubling, most_runs, runs_to
from tests.bisect.samples import VARIABLES, planned

COUNTS = st.integers(0, 300)


@st.composite
def searches(draw: st.DrawFn) -> tuple[int, int | None, int]:
    """Candidates, the largest that is predicted to fit, and how many do."""
    count = draw(COUNTS)
    return count, draw(st.none() | st.integers(-1, count - 1)), draw(st.integers(0, count))


@given(searches())
def test_the_bisection_finds_any_outcome(search: tuple[int, int | None, int]) -> None:
    count, expected, fitting = search
    node, ran, failed, runs = bisection(0, count, expected), -1, count, 0
    while node is not None:
        assert ran < node.index < failed, "each run tries what is not known yet"
        runs += 1
        assert node.depth == runs
        if node.index < fitting:
            ran, node = node.index, node.ran
        else:
            failed, node = node.index, node.failed
    # Both neighbours of the edge have been tried, or are ends of the range.
    assert (ran + 1, failed) == (fitting, fitting)
    assert runs <= most_runs(count)
    assert runs == runs_to(bisection(0, count, expected), fitting)


@given(COUNTS)
def test_the_worst_case_is_the_least_there_can_be(count: int) -> None:
    assert most_runs(count) == ceil(log(count + 1, 2) - 1e-9)
    root = bisection(0, count, count // 2)
    nodes = list(root.walk()) if root is not None else []
    assert sorted(node.index for node in nodes) == list(range(count))
    assert [node.depth for node in nodes] == sorted(node.depth for node in nodes)
    assert max((node.depth for node in nodes), default=0) == most_runs(count)


def test_where_runs_are_to_spare_an_exact_prediction_takes_few() -> None:
    assert most_runs(77) == 7
    assert runs_to(bisection(0, 77, 37), 38) < 7


@given(st.integers(1, 1000), st.integers(1, 1 << 20), st.integers(1, 12))
def test_a_doubling_goes_up_within_its_bound(start: int, most: int, step: int) -> None:
    values = doubled(start, most, lambda value: value % step == 0)
    assert len(values) <= DOUBLINGS
    assert list(values) == sorted(set(values))
    assert all(value <= most and value % step == 0 for value in values)
    root = doubling(len(values))
    for fitting in range(len(values)):
        assert runs_to(root, fitting) == fitting + 1, "the first failure ends it"


UNKNOWN = VARIABLES.replace("Qwen/Qwen2.5-14B-Instruct", "me/unknown-model")


@pytest.mark.slow
@pytest.mark.parametrize("text", [VARIABLES, UNKNOWN], ids=["predicted", "blind"])
@pytest.mark.parametrize("largest", [0, 1, 5, 58, 200])
def test_runs_that_depend_on_the_batch_alone_give_the_exact_largest(
    text: str, largest: int
) -> None:
    """Wherever the edge is, in the predicted band or not: the plans end with both neighbours."""
    ran: int | None = None
    failed: int | None = None
    runs = 0
    while failed != 1 and (ran is None or failed is None or failed - ran > 1):
        plan = planned(text, ran=ran, failed=failed).plan
        if plan.mode == "closed":
            plan = planned(text, ran=ran, failed=failed, blind=True).plan
        by_name = {run.name: run for run in plan.probes}
        name: str | None = plan.probes[0].name
        while name is not None:
            run = by_name[name]
            runs += 1
            if run.value <= largest:
                ran, name = max(run.value, ran or 0), run.ran
            else:
                failed, name = min(run.value, failed or run.value), run.failed
        assert runs < 30, "the search ends"
    assert (ran or 0, failed) == (largest, largest + 1)
