"""The order of probes: any outcome is found, in no more runs than are promised."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, log

from hypothesis import given
from hypothesis import strategies as st

from bot.bisect.tree import blind_runs, most_runs, rounds, runs_to, series, spread

COUNTS = st.integers(0, 300)


@st.composite
def searches(draw: st.DrawFn) -> tuple[int, int | None, int]:
    """Candidates, how many are predicted to fit, and how many do."""
    count = draw(COUNTS)
    return count, draw(st.none() | st.integers(0, count)), draw(st.integers(0, count))


@given(searches())
def test_the_series_finds_any_outcome(search: tuple[int, int | None, int]) -> None:
    count, expected, fitting = search
    node, ran, failed, runs = series(count, expected), -1, count, 0
    while node is not None:
        assert ran < node.index < failed, "each run tries what is not known yet"
        runs += 1
        assert node.depth == runs
        if node.index < fitting:
            ran, node = node.index, node.ran
        else:
            failed, node = node.index, node.failed
    # Both neighbours of the edge have been tried, or are ends of the band.
    assert (ran + 1, failed) == (fitting, fitting)
    assert runs <= most_runs(count)
    assert runs == runs_to(series(count, expected), fitting)


@given(COUNTS)
def test_the_worst_case_is_the_least_there_can_be(count: int) -> None:
    assert most_runs(count) == ceil(log(count + 1, 2) - 1e-9)
    root = series(count, count // 2)
    nodes = list(root.walk()) if root is not None else []
    assert sorted(node.index for node in nodes) == list(range(count))
    assert [node.depth for node in nodes] == sorted(node.depth for node in nodes)


@given(st.integers(1, 300))
def test_an_exact_prediction_never_takes_more(count: int) -> None:
    for expected in {0, 1, count // 3, count}:
        assert runs_to(series(count, expected), expected) <= most_runs(count)


def test_where_runs_are_to_spare_an_exact_prediction_takes_few() -> None:
    assert most_runs(77) == 7
    assert runs_to(series(77, 38), 38) < 7


def _largest_part(count: int, chosen: tuple[int, ...]) -> int:
    """Outcomes at most that a round leaves."""
    edges = [-1, *chosen, count]
    return max(after - before for before, after in pairwise(edges))


@given(st.integers(1, 300), st.integers(1, 12))
def test_rounds_find_any_outcome(count: int, at_once: int) -> None:
    left, done = count, 0
    while left > 0:
        chosen = spread(left, at_once)
        assert list(chosen) == sorted(set(chosen))
        assert len(chosen) == min(left, at_once)
        assert 0 <= chosen[0] <= chosen[-1] < left
        left = _largest_part(left, chosen) - 1
        done += 1
    assert done <= rounds(count, at_once)


@given(st.integers(1, 200), st.integers(1, 200))
def test_blind_search_counts_what_it_takes(first: int, more: int) -> None:
    values = list(range(first, first + more))
    worst = 0
    for threshold in values:
        # Doubling: 1, 2, 4, … until one is above the threshold, then bisection between.
        tried, value = 1, 1
        while value <= threshold:
            value *= 2
            tried += 1
        low = value // 2
        worst = max(worst, tried + most_runs(value - low - 1))
    assert blind_runs(1, values[-1], None) == worst
    assert blind_runs(1, values[-1], values[-1]) == most_runs(values[-1])
    assert blind_runs(8, 8 * values[-1] + 7, None) == worst
