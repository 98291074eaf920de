"""The script of a run: what differs from the original, for the linter and for bash."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.bisect.scripts import MARK, script_of
from bot.check.request import CheckOptions
from bot.check.script import check_script
from tests.bisect.samples import ARRAY, FLAT, FLAT_KEYS, VARY, planned, script, series_of
from tests.shell.judge import Judge
from tests.shell.judge import Script as Shell


@pytest.mark.slow
@pytest.mark.parametrize("text", VARY, ids=["variables", "environment", "flat", "array"])
@pytest.mark.parametrize("form", [str, lambda t: "\ufeff" + t, lambda t: t.replace("\n", "\r\n")])
def test_a_written_script_is_the_original_but_for_the_batch(
    text: str, form: Callable[[str], str]
) -> None:
    data = form(text).encode()
    series = series_of(script(data), VARY[text], ran=48, failed=53)
    (probe,) = series.plan.probes
    lines = script_of(series.candidates, series.plan).decode().splitlines(keepends=True)
    assert len([line for line in lines if MARK in line]) == 1
    without = "".join(line for line in lines if MARK not in line).encode()
    assert without == series.candidates.knob.write(data, probe.value)
    assert series.candidates.knob.write(data, series.candidates.knob.value) == data


@pytest.mark.slow
def test_every_written_script_passes_the_linter() -> None:
    allowed = {"RLB110", "RLB111", "RLB112", "RLB113"}
    for text, vary in VARY.items():
        series = planned(text, vary, ran=48, failed=53)
        before = check_script(script(text), CheckOptions())
        known = {(f.id, f.severity) for f in before.findings}
        made = script_of(series.candidates, series.plan)
        report = check_script(script(made), CheckOptions())
        new = {(f.id, f.severity) for f in report.findings} - known
        assert {id_ for id_, _ in new} <= allowed, new
        assert not [f for f in report.findings if f.severity == "error"]


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("judge"))


@pytest.mark.process
@pytest.mark.parametrize("text", VARY, ids=["variables", "environment", "flat", "array"])
def test_under_real_bash_only_the_batches_differ(judge: Judge, text: str) -> None:
    series = planned(text, VARY[text], ran=48, failed=53)
    made = script_of(series.candidates, series.plan).decode()
    (before,), (after,) = judge.run([Shell(text), Shell(made)])
    (value,) = series.plan.candidates
    batch = str(value if text in (FLAT, ARRAY) else value * 2)
    assert len(before.argv) == len(after.argv)
    for old, new in zip(before.argv, after.argv, strict=True):
        key = old.partition("=")[0]
        assert new == (f"{key}={batch}" if key in FLAT_KEYS else old)


def test_a_default_beside_its_key_is_varied_in_its_place() -> None:
    text = FLAT.replace("train_batch_size=116", "train_batch_size=${BATCH:-116}")
    series = planned(text, FLAT_KEYS, ran=48, failed=53)
    (value,) = series.plan.candidates
    made = script_of(series.candidates, series.plan).decode()
    assert f"data.train_batch_size=${{BATCH:-{value}}} " in made


@pytest.mark.slow
def test_the_batches_keep_their_shares() -> None:
    text = FLAT.replace("ppo_micro_batch_size_per_gpu=116", "ppo_micro_batch_size_per_gpu=29")
    series = planned(text, FLAT_KEYS)
    (value,) = series.plan.candidates
    assert value % 4 == 0
    made = script_of(series.candidates, series.plan).decode()
    assert f"data.train_batch_size={value} " in made
    assert f"actor.ppo_micro_batch_size_per_gpu={value // 4} " in made
