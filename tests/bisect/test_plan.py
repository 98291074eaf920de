"""From a script to its series: the band, its ends, and the order of the runs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from bot.bisect.candidates import USUAL_ERROR
from bot.bisect.report import TrialRun
from tests.bisect.samples import (
    FEW,
    FLAT,
    FLAT_KEYS,
    PATH,
    VARIABLES,
    VARY,
    Series,
    planned,
)
from tests.memory.cases import cases, held_out


def _search(series: Series, fits: Callable[[int], bool]) -> tuple[int, TrialRun | None]:
    """Runs that a person makes who does what the scripts say, and the last one."""
    probes = {probe.name: probe for probe in series.plan.probes}
    name: str | None = series.plan.probes[0].name if series.plan.probes else None
    runs, last = 0, None
    while name is not None:
        last = probes[name]
        runs += 1
        name = last.ran if fits(last.value) else last.failed
    return runs, last


@pytest.mark.slow
@pytest.mark.parametrize("text", VARY, ids=["variables", "environment", "flat", "array"])
def test_every_threshold_of_the_band_is_found_within_the_promise(text: str) -> None:
    series = planned(text, VARY[text])
    plan = series.plan
    assert plan.mode == "series"
    assert plan.lower is not None
    assert plan.upper is not None
    assert plan.runs is not None
    # Where there would be too many, they are multiples of a step.
    step = plan.candidates[1] - plan.candidates[0]
    assert 0 <= plan.candidates[0] - plan.lower.value < step
    assert plan.candidates[-1] < plan.upper.value
    for threshold, after in pairwise(plan.candidates):
        runs, last = _search(series, threshold.__ge__)
        assert runs <= plan.runs
        assert last is not None
        said = last.if_ran if last.value <= threshold else last.if_failed
        assert said == f"done: {threshold} ran, {after} failed"
    expected = plan.expected
    assert expected is not None
    assert _search(series, expected.__ge__)[0] == plan.runs_expected


@pytest.mark.slow
def test_outside_of_the_band_the_series_says_how_to_go_on() -> None:
    series = planned()
    lower, upper = series.plan.candidates[0], series.plan.candidates[-1]
    _, last = _search(series, lambda _: True)
    assert last is not None
    assert (last.value, last.if_ran) == (upper, f"plan again with --ran {upper}")
    _, last = _search(series, lambda _: False)
    assert last is not None
    assert (last.value, last.if_failed) == (lower, f"plan again with --failed {lower}")


@pytest.mark.slow
def test_what_is_known_is_kept_when_the_band_is_left() -> None:
    series = planned(ran=5)
    lower = series.plan.candidates[0]
    assert lower > 6, "values below are predicted to fit"
    _, last = _search(series, lambda _: False)
    assert last is not None
    assert last.if_failed == f"plan again with --ran 5 --failed {lower}"
    assert planned(ran=5, failed=lower).plan.candidates == tuple(range(6, lower))


def test_what_the_framework_refuses_is_no_candidate() -> None:
    text = FLAT.replace("rollout.n=5", "rollout.n=1")
    assert planned(text, FLAT_KEYS, **FEW).plan.candidates == (50, 52)
    assert planned(FLAT, FLAT_KEYS, **FEW).plan.candidates == (50, 52)
    one = FLAT.replace("n_gpus_per_node=2", "n_gpus_per_node=1")
    one = one.replace("parallel_size=2", "parallel_size=1")
    assert planned(one, FLAT_KEYS, **FEW).plan.candidates == (49, 50, 51, 52)


@pytest.mark.slow
def test_measured_lengths_and_known_runs_narrow_the_band() -> None:
    wide, known = planned().plan, planned(ran=50, failed=61).plan
    assert known.runs is not None
    assert wide.runs is not None
    assert known.candidates == tuple(range(51, 61))
    assert known.runs == 4
    assert wide.runs > known.runs


def test_the_scripts_own_trial_log_counts() -> None:
    plan = planned(VARIABLES.replace("=58", "=58 # 48√ → 64× → 58√")).plan
    assert plan.lower is not None
    assert plan.upper is not None
    assert (plan.lower.source, plan.lower.value) == ("trial log", 58)
    assert (plan.upper.source, plan.upper.value) == ("trial log", 64)
    assert plan.candidates == tuple(range(59, 64))


def test_nothing_is_left_between_neighbours() -> None:
    plan = planned(ran=58, failed=59).plan
    assert (plan.mode, plan.candidates, plan.probes, plan.runs) == ("closed", (), (), 0)


def test_one_candidate_takes_one_run() -> None:
    plan = planned(ran=57, failed=59).plan
    assert [probe.name for probe in plan.probes] == ["1-58"]
    assert plan.runs == 1
    assert plan.probes[0].if_ran == "done: 58 ran, 59 failed"
    assert plan.probes[0].if_failed == "done: 57 ran, 58 failed"


def test_a_prediction_that_was_wrong_is_left_out() -> None:
    above = planned(ran=200).plan
    assert above.mode == "doubling"
    assert [probe.value for probe in above.probes][:2] == [400, 800]
    assert above.probes[1].if_failed == "plan again with --ran 400 --failed 800"
    below = planned(failed=5).plan
    assert below.candidates == (1, 2, 3, 4)
    assert any("predicted to fit" in note for note in below.notes)


@pytest.mark.slow
def test_without_a_prediction_the_search_is_blind() -> None:
    text = VARIABLES.replace("Qwen/Qwen2.5-14B-Instruct", "me/unknown-model")
    plan = planned(text).plan
    assert plan.no_prediction == "The shape of the model me/unknown-model is not known."
    assert plan.mode == "doubling"
    assert (plan.runs, plan.expected) == (None, None)
    bounded = planned(text, failed=101).plan
    assert (bounded.mode, bounded.runs) == ("series", 7)
    assert bounded.candidates == tuple(range(1, 101))


@pytest.mark.slow
def test_a_step_keeps_the_candidates_few() -> None:
    plan = planned(blind=True, failed=4001).plan
    assert plan.multiple == 32
    assert len(plan.candidates) <= 127
    assert any("multiples of 32" in note for note in plan.notes)
    finer = planned(blind=True, ran=3968, failed=4000).plan
    assert finer.candidates == tuple(range(3969, 4000))


@pytest.mark.slow
def test_the_hardware_may_be_named() -> None:
    here, other = planned().plan, planned(device="h200").plan
    assert (here.device, other.device) == ("H100", "H200")
    assert other.candidates[-1] > here.candidates[-1]


def test_a_series_names_the_script_as_it_is_called() -> None:
    assert Path(planned().plan.script) == Path(PATH)


def test_the_usual_error_is_that_of_all_measured_peaks_but_one() -> None:
    errors = [
        abs(case.predicted_gib() / case.data["measured_gib"] - 1)
        for case in (*cases("peak"), *held_out())
    ]
    assert len(errors) >= 30
    assert sum(error > USUAL_ERROR for error in errors) <= 1
