"""From a script to its series: the band, its ends, and the run that comes next."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.bisect.candidates import USUAL_ERROR
from tests.bisect.samples import FLAT, FLAT_KEYS, PATH, VARIABLES, VARY, planned
from tests.memory.cases import cases, held_out


@pytest.mark.slow
@pytest.mark.parametrize("text", VARY, ids=["variables", "environment", "flat", "array"])
def test_the_first_run_is_the_largest_that_is_expected_to_fit(text: str) -> None:
    series = planned(text, VARY[text])
    plan = series.plan
    assert plan.mode == "series"
    assert plan.lower is not None
    assert plan.upper is not None
    assert plan.runs == (plan.upper.value - plan.lower.value).bit_length()
    (run,) = plan.probes
    assert run.value == plan.expected
    assert run.expected_gib is not None
    assert run.batch == (run.value if VARY[text] else 2 * run.value)


def test_either_outcome_says_what_is_next() -> None:
    (run,) = planned(ran=57, failed=61).plan.probes
    assert (run.value, run.if_ran, run.if_failed) == (59, "60 is next", "58 is next")
    (run,) = planned(ran=57, failed=59).plan.probes
    assert run.if_ran == "done: 58 ran, 59 failed"
    assert run.if_failed == "done: 57 ran, 58 failed"
    (run,) = planned(failed=2).plan.probes
    assert (run.if_ran, run.if_failed) == ("done: 1 ran, 2 failed", "nothing is left to try")


def test_what_the_framework_refuses_is_never_tried() -> None:
    text = FLAT.replace("rollout.n=5", "rollout.n=1")
    assert planned(text, FLAT_KEYS, ran=48, failed=51).plan.candidates == (50,)
    assert planned(FLAT, FLAT_KEYS, ran=48, failed=50).plan.mode == "closed"
    one = FLAT.replace("n_gpus_per_node=2", "n_gpus_per_node=1")
    one = one.replace("parallel_size=2", "parallel_size=1")
    assert planned(one, FLAT_KEYS, ran=48, failed=50).plan.candidates == (49,)


@pytest.mark.slow
def test_known_runs_narrow_the_band() -> None:
    wide, known = planned().plan, planned(ran=50, failed=61).plan
    assert known.runs == 4
    assert wide.runs is not None
    assert wide.runs > known.runs


def test_the_scripts_own_trial_log_counts() -> None:
    plan = planned(VARIABLES.replace("=58", "=58 # 48√ → 64× → 58√")).plan
    assert plan.lower is not None
    assert plan.upper is not None
    assert (plan.lower.source, plan.lower.value) == ("trial log", 58)
    assert (plan.upper.source, plan.upper.value) == ("trial log", 64)
    assert plan.candidates == (60,)


def test_nothing_is_left_between_neighbours() -> None:
    plan = planned(ran=58, failed=59).plan
    assert (plan.mode, plan.candidates, plan.probes, plan.runs) == ("closed", (), (), 0)


def test_a_prediction_that_was_wrong_is_left_out() -> None:
    above = planned(ran=200).plan
    assert (above.mode, above.candidates) == ("doubling", (400,))
    below = planned(failed=5).plan
    assert (below.mode, below.candidates, below.runs) == ("series", (4,), 3)
    assert below.lower is None


@pytest.mark.slow
def test_without_a_prediction_the_batch_is_doubled() -> None:
    text = VARIABLES.replace("Qwen/Qwen2.5-14B-Instruct", "me/unknown-model")
    plan = planned(text).plan
    assert plan.no_prediction == "The shape of the model me/unknown-model is not known."
    assert (plan.mode, plan.candidates) == ("doubling", (58,))
    assert (plan.runs, plan.expected) == (None, None)
    assert planned(text, ran=58).plan.candidates == (116,)
    bounded = planned(text, failed=4001).plan
    assert (bounded.mode, bounded.runs, bounded.candidates) == ("series", 12, (2001,))


@pytest.mark.slow
def test_the_hardware_may_be_named() -> None:
    here, other = planned().plan, planned(device="h200").plan
    assert (here.device, other.device) == ("H100", "H200")
    assert other.candidates > here.candidates


def test_a_series_names_the_script_as_it_is_called() -> None:
    assert Path(planned().plan.script) == Path(PATH)


def test_the_usual_error_is_that_of_all_measured_peaks_but_one() -> None:
    errors = [
        abs(case.predicted_gib() / case.data["measured_gib"] - 1)
        for case in (*cases("peak"), *held_out())
    ]
    assert len(errors) >= 30
    assert sum(error > USUAL_ERROR for error in errors) <= 1
