"""From a script to its series: the band, the scripts, and what cannot be bisected."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from bot.bisect.band import USUAL_ERROR, Where
from bot.bisect.scripts import MARK, scripts
from bot.bisect.series import Asked, Series, plan_series
from bot.bisection import Probe
from bot.check import Options, check_script
from bot.errors import UserError
from tests.bisect.samples import ARRAY, ENVIRONMENT, FLAT, FLAT_KEYS, PATH, VARIABLES, script
from tests.command import ROOT
from tests.memory.cases import cases, held_out
from tests.shell.judge import Judge
from tests.shell.judge import Script as Shell

VARY = {VARIABLES: (), ENVIRONMENT: (), FLAT: FLAT_KEYS, ARRAY: FLAT_KEYS}
"""Each style with what is varied in it."""
FEW = {"ran": 48, "failed": 53}
"""Ends with few values between them."""


@cache
def _plan(text: str = VARIABLES, vary: tuple[str, ...] = (), **asked: object) -> Series:
    return plan_series(script(text), Options(), Asked(vary=vary, **asked))  # type: ignore[arg-type]


def _search(series: Series, fits: Callable[[int], bool]) -> tuple[int, Probe | None]:
    """Runs that a person makes who does what the scripts say, and the last one."""
    probes = {probe.name: probe for probe in series.plan.probes}
    name: str | None = series.plan.probes[0].name if series.plan.probes else None
    runs, last = 0, None
    while name is not None:
        last = probes[name]
        runs += 1
        name = last.ran if fits(last.value) else last.failed
    return runs, last


@pytest.mark.parametrize("text", VARY, ids=["variables", "environment", "flat", "array"])
def test_every_threshold_of_the_band_is_found_within_the_promise(text: str) -> None:
    series = _plan(text, VARY[text])
    plan = series.plan
    assert plan.mode == "series"
    assert plan.lower is not None
    assert plan.upper is not None
    assert plan.runs is not None
    assert plan.candidates[0] == plan.lower.value
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


def test_outside_of_the_band_the_series_says_how_to_go_on() -> None:
    series = _plan()
    lower, upper = series.plan.candidates[0], series.plan.candidates[-1]
    _, last = _search(series, lambda _: True)
    assert last is not None
    assert (last.value, last.if_ran) == (upper, f"plan again with --ran {upper}")
    _, last = _search(series, lambda _: False)
    assert last is not None
    assert (last.value, last.if_failed) == (lower, f"plan again with --failed {lower}")


def test_what_is_known_is_kept_when_the_band_is_left() -> None:
    series = _plan(ran=5)
    lower = series.plan.candidates[0]
    assert lower > 6, "values below are predicted to fit"
    _, last = _search(series, lambda _: False)
    assert last is not None
    assert last.if_failed == f"plan again with --ran 5 --failed {lower}"
    assert _plan(ran=5, failed=lower).plan.candidates == tuple(range(6, lower))


@pytest.mark.parametrize("text", VARY, ids=["variables", "environment", "flat", "array"])
@pytest.mark.parametrize("form", [str, lambda t: "\ufeff" + t, lambda t: t.replace("\n", "\r\n")])
def test_a_written_script_is_the_original_but_for_the_batch(
    text: str, form: Callable[[str], str]
) -> None:
    data = form(text).encode()
    series = plan_series(script(data), Options(), Asked(vary=VARY[text], ran=48, failed=53))
    for name, made in scripts(series).items():
        probe = next(one for one in series.plan.probes if one.name == name)
        lines = made.decode().splitlines(keepends=True)
        said = [line for line in lines if MARK in line]
        assert len(said) == 1
        without = "".join(line for line in lines if MARK not in line).encode()
        assert without == series.knob.write(data, probe.value)
    assert series.knob.write(data, series.knob.value) == data


def test_every_written_script_passes_the_linter() -> None:
    allowed = {"RLB110", "RLB111", "RLB112", "RLB113"}
    for text, vary in VARY.items():
        series = _plan(text, vary, **FEW)
        before = check_script(script(text), Options())
        known = {(f.id, f.severity) for f in before.findings}
        for name, made in scripts(series).items():
            report = check_script(script(made), Options())
            new = {(f.id, f.severity) for f in report.findings} - known
            assert {id_ for id_, _ in new} <= allowed, (name, new)
            assert not [f for f in report.findings if f.severity == "error"]


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("judge"))


@pytest.mark.parametrize("text", VARY, ids=["variables", "environment", "flat", "array"])
def test_under_real_bash_only_the_batches_differ(judge: Judge, text: str) -> None:
    series = _plan(text, VARY[text], **FEW)
    made = list(scripts(series).items())
    first, *others = judge.run([Shell(text), *(Shell(data.decode()) for _, data in made)])
    for (name, _), calls in zip(made, others, strict=True):
        value = int(name.split("-")[1])
        batch = str(value if text in (FLAT, ARRAY) else value * 2)
        (before,), (after,) = first, calls
        assert len(before.argv) == len(after.argv)
        for old, new in zip(before.argv, after.argv, strict=True):
            key = old.partition("=")[0]
            assert new == (f"{key}={batch}" if key in FLAT_KEYS else old)


def test_what_the_framework_refuses_is_no_candidate() -> None:
    text = FLAT.replace("rollout.n=5", "rollout.n=1")
    assert _plan(text, FLAT_KEYS, **FEW).plan.candidates == (50, 52)
    assert _plan(FLAT, FLAT_KEYS, **FEW).plan.candidates == (50, 52)
    one = FLAT.replace("n_gpus_per_node=2", "n_gpus_per_node=1")
    one = one.replace("parallel_size=2", "parallel_size=1")
    assert _plan(one, FLAT_KEYS, **FEW).plan.candidates == (49, 50, 51, 52)


def test_a_default_beside_its_key_is_varied_in_its_place() -> None:
    text = FLAT.replace("train_batch_size=116", "train_batch_size=${BATCH:-116}")
    series = _plan(text, FLAT_KEYS, **FEW)
    (made, *_) = scripts(series).values()
    value = series.plan.probes[0].value
    assert f"data.train_batch_size=${{BATCH:-{value}}} " in made.decode()


def test_the_batches_keep_their_shares() -> None:
    text = FLAT.replace("ppo_micro_batch_size_per_gpu=116", "ppo_micro_batch_size_per_gpu=29")
    series = _plan(text, FLAT_KEYS)
    assert all(value % 4 == 0 for value in series.plan.candidates)
    made = scripts(series)[series.plan.probes[0].name].decode()
    value = series.plan.probes[0].value
    assert f"data.train_batch_size={value} " in made
    assert f"actor.ppo_micro_batch_size_per_gpu={value // 4} " in made


def test_measured_lengths_and_known_runs_narrow_the_band() -> None:
    wide, known = _plan().plan, _plan(ran=50, failed=61).plan
    assert known.runs is not None
    assert wide.runs is not None
    assert known.candidates == tuple(range(51, 61))
    assert (known.runs, known.blind) == (4, None)
    assert wide.blind is not None
    assert wide.blind > wide.runs


def test_the_scripts_own_trial_log_counts() -> None:
    plan = _plan(VARIABLES.replace("=58", "=58 # 48√ → 64× → 58√")).plan
    assert plan.lower is not None
    assert plan.upper is not None
    assert (plan.lower.source, plan.lower.value) == ("trial log", 58)
    assert (plan.upper.source, plan.upper.value) == ("trial log", 64)
    assert plan.candidates == tuple(range(59, 64))


def test_nothing_is_left_between_neighbours() -> None:
    plan = _plan(ran=58, failed=59).plan
    assert (plan.mode, plan.candidates, plan.probes, plan.runs) == ("closed", (), (), 0)


def test_one_candidate_takes_one_run() -> None:
    plan = _plan(ran=57, failed=59).plan
    assert [probe.name for probe in plan.probes] == ["1-58"]
    assert plan.runs == 1
    assert plan.probes[0].if_ran == "done: 58 ran, 59 failed"
    assert plan.probes[0].if_failed == "done: 57 ran, 58 failed"


@pytest.mark.parametrize("at_once", [1, 2, 3, 11])
def test_a_round_holds_as_many_runs_as_were_asked_for(at_once: int) -> None:
    plan = _plan(at_once=at_once, ran=48, failed=60).plan
    assert len(plan.probes) == (at_once if at_once > 1 else 11)
    assert (plan.rounds is None) == (at_once == 1)


def test_a_prediction_that_was_wrong_is_left_out() -> None:
    above = _plan(ran=200).plan
    assert above.mode == "doubling"
    assert [probe.value for probe in above.probes][:2] == [400, 800]
    assert above.probes[1].if_failed == "plan again with --ran 400 --failed 800"
    below = _plan(failed=5).plan
    assert below.candidates == (1, 2, 3, 4)
    assert any("predicted to fit" in note for note in below.notes)


def test_without_a_prediction_the_search_is_blind() -> None:
    text = VARIABLES.replace("Qwen/Qwen2.5-14B-Instruct", "me/unknown-model")
    plan = _plan(text).plan
    assert plan.no_prediction == "The shape of the model me/unknown-model is not known."
    assert plan.mode == "doubling"
    assert (plan.runs, plan.expected, plan.blind) == (None, None, None)
    bounded = _plan(text, largest=100).plan
    assert (bounded.mode, bounded.runs) == ("series", 7)
    assert bounded.candidates == tuple(range(1, 101))


def test_a_step_keeps_the_candidates_few() -> None:
    plan = _plan(blind=True, largest=4000).plan
    assert plan.multiple == 32
    assert len(plan.candidates) <= 127
    assert any("multiples of 32" in note for note in plan.notes)
    assert _plan(blind=True, largest=4000, multiple=100).plan.candidates[:2] == (100, 200)
    with pytest.raises(UserError, match="larger step with --multiple"):
        _plan(blind=True, largest=4000, multiple=1)


REFUSED = {
    "computed from several": (
        VARIABLES.replace("n_gpus_per_node=${ngpu_per_node}", "n_gpus_per_node=2"),
        (),
        "computed from nproc_per_gpu and ngpu_per_node; say which one",
    ),
    "from the caller alone": (
        VARIABLES.replace("nproc_per_gpu=58\n", ""),
        (),
        "where a whole number that the script itself holds belongs",
    ),
    "left to the framework": (
        FLAT.replace("    data.train_batch_size=116 \\\n", ""),
        (),
        "leaves data.train_batch_size to the framework",
    ),
    "no such name": (VARIABLES, ("nproc_pr_gpu",), "Did you mean nproc_per_gpu?"),
    "two trainings": (
        FLAT + FLAT.partition("\n\n")[2].replace("=116", "=120"),
        (),
        "starts 2 trainings",
    ),
    "no training": ("echo 1\n", (), "starts no known framework"),
    "memory does not follow": (
        FLAT,
        (),
        "does not decide the memory of a GPU",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_bisected_is_a_sentence(case: str) -> None:
    text, vary, sentence = REFUSED[case]
    with pytest.raises(UserError) as raised:
        _plan(text, vary)
    assert sentence in str(raised.value)


def test_contradictory_ends_are_refused() -> None:
    with pytest.raises(UserError, match="60 cannot have run when 50"):
        _plan(ran=60, failed=50)


def test_examples_say_what_decides_their_memory() -> None:
    for path in sorted(ROOT.glob("examples/tuning/*/*_h[18]00_fsdp_vllm.sh")):
        with pytest.raises(UserError) as raised:
            plan_series(
                script(path.read_bytes(), path.relative_to(ROOT).as_posix()), Options(), Asked()
            )
        key = "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"
        assert f"--vary {key}" in str(raised.value)
        series = plan_series(
            script(path.read_bytes(), path.relative_to(ROOT).as_posix()),
            Options(),
            Asked(vary=(key,)),
        )
        assert series.plan.probes


def test_the_hardware_may_be_named() -> None:
    here, other = _plan().plan, _plan(where=Where(device="h200")).plan
    assert (here.device, other.device) == ("H100", "H200")
    assert other.candidates[-1] > here.candidates[-1]


def test_a_series_names_the_script_as_it_is_called() -> None:
    assert Path(_plan().plan.script) == Path(PATH)


def test_the_usual_error_is_that_of_all_measured_peaks_but_one() -> None:
    errors = [
        abs(case.predicted_gib() / case.data["measured_gib"] - 1)
        for case in (*cases("peak"), *held_out())
    ]
    assert len(errors) >= 30
    assert sum(error > USUAL_ERROR for error in errors) <= 1
