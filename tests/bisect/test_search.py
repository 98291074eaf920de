"""The search: it ends, the bracket closes at the true edge, in no more runs than are promised."""

from __future__ import annotations

from math import ceil, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.bisect.search import most_runs, pick
from tests.bisect.samples import FLAT, FLAT_KEYS, VARIABLES, planned

COUNTS = st.integers(1, 300)


@given(COUNTS, st.none() | st.integers(-1, 310), st.integers(0, 300))
def test_the_bisection_finds_any_outcome(count: int, expected: int | None, edge: int) -> None:
    fitting, ran, failed, runs = min(edge, count), 0, count + 1, 0
    while failed - ran > 1:
        value = pick(ran + 1, failed - 1, expected)
        assert ran < value < failed, "each run tries what is not known yet"
        runs += 1
        if value <= fitting:
            ran = value
        else:
            failed = value
    assert (ran, failed) == (fitting, fitting + 1)
    assert runs <= most_runs(count)


@given(st.integers(0, 300))
def test_the_worst_case_is_the_least_there_can_be(count: int) -> None:
    assert most_runs(count) == ceil(log(count + 1, 2) - 1e-9)


def test_where_runs_are_to_spare_the_prediction_is_tried() -> None:
    assert pick(1, 77, 38) == 38
    assert pick(1, 77, None) == 39
    assert pick(1, 77, 1) == 14, "what is left above is decided by six more"


UNKNOWN = VARIABLES.replace("Qwen/Qwen2.5-14B-Instruct", "me/other-model")
EVEN = FLAT.replace("Qwen/Qwen2.5-14B-Instruct", "me/other-model")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "vary", "step"),
    [(VARIABLES, (), 1), (UNKNOWN, (), 1), (EVEN, FLAT_KEYS, 2)],
    ids=["predicted", "blind", "even values only"],
)
@pytest.mark.parametrize("largest", [0, 1, 5, 58, 200])
def test_runs_that_depend_on_the_batch_alone_give_the_exact_largest(
    text: str, vary: tuple[str, ...], step: int, largest: int
) -> None:
    """Wherever the edge is, in the predicted band or not: the plans end with both neighbours."""
    ran: int | None = None
    failed: int | None = None
    runs, bound = 0, 30
    while (plan := planned(text, vary, ran=ran, failed=failed).plan).probes:
        (run,) = plan.probes
        runs += 1
        assert run.value % step == 0
        assert (ran or 0) < run.value < (failed or run.value + 1)
        upper = plan.upper is not None and plan.upper.value > largest
        if upper and (plan.lower is None or plan.lower.value <= largest):
            assert plan.runs is not None
            bound = min(bound, runs - 1 + plan.runs)
        if run.value <= largest:
            ran = run.value
        else:
            failed = run.value
    assert (ran or 0) == largest - largest % step
    assert failed == (ran or 0) + step
    assert runs <= bound, "no more than were promised where the edge lies between the two ends"
