"""The scripts of a series: what differs from the original, for the linter and for bash."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.bisect.request import SeriesRequest
from bot.bisect.scripts import MARK, scripts
from bot.check.request import CheckOptions
from bot.check.script import check_script
from tests.bisect.samples import (
    ARRAY,
    FEW,
    FLAT,
    FLAT_KEYS,
    VARY,
    plan_series,
    planned,
    script,
)
from tests.shell.judge import Judge
from tests.shell.judge import Script as Shell


@pytest.mark.slow
@pytest.mark.parametrize("text", VARY, ids=["variables", "environment", "flat", "array"])
@pytest.mark.parametrize("form", [str, lambda t: "\ufeff" + t, lambda t: t.replace("\n", "\r\n")])
def test_a_written_script_is_the_original_but_for_the_batch(
    text: str, form: Callable[[str], str]
) -> None:
    data = form(text).encode()
    series = plan_series(
        script(data), CheckOptions(), SeriesRequest(vary=VARY[text], ran=48, failed=53)
    )
    for name, made in scripts(series.candidates, series.plan).items():
        probe = next(one for one in series.plan.probes if one.name == name)
        lines = made.decode().splitlines(keepends=True)
        said = [line for line in lines if MARK in line]
        assert len(said) == 1
        without = "".join(line for line in lines if MARK not in line).encode()
        assert without == series.candidates.knob.write(data, probe.value)
    assert series.candidates.knob.write(data, series.candidates.knob.value) == data


@pytest.mark.slow
def test_every_written_script_passes_the_linter() -> None:
    allowed = {"RLB110", "RLB111", "RLB112", "RLB113"}
    for text, vary in VARY.items():
        series = planned(text, vary, **FEW)
        before = check_script(script(text), CheckOptions())
        known = {(f.id, f.severity) for f in before.findings}
        for name, made in scripts(series.candidates, series.plan).items():
            report = check_script(script(made), CheckOptions())
            new = {(f.id, f.severity) for f in report.findings} - known
            assert {id_ for id_, _ in new} <= allowed, (name, new)
            assert not [f for f in report.findings if f.severity == "error"]


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("judge"))


@pytest.mark.process
@pytest.mark.parametrize("text", VARY, ids=["variables", "environment", "flat", "array"])
def test_under_real_bash_only_the_batches_differ(judge: Judge, text: str) -> None:
    series = planned(text, VARY[text], **FEW)
    made = list(scripts(series.candidates, series.plan).items())
    first, *others = judge.run([Shell(text), *(Shell(data.decode()) for _, data in made)])
    for (name, _), calls in zip(made, others, strict=True):
        value = int(name.split("-")[1])
        batch = str(value if text in (FLAT, ARRAY) else value * 2)
        (before,), (after,) = first, calls
        assert len(before.argv) == len(after.argv)
        for old, new in zip(before.argv, after.argv, strict=True):
            key = old.partition("=")[0]
            assert new == (f"{key}={batch}" if key in FLAT_KEYS else old)


def test_a_default_beside_its_key_is_varied_in_its_place() -> None:
    text = FLAT.replace("train_batch_size=116", "train_batch_size=${BATCH:-116}")
    series = planned(text, FLAT_KEYS, **FEW)
    (made, *_) = scripts(series.candidates, series.plan).values()
    value = series.plan.probes[0].value
    assert f"data.train_batch_size=${{BATCH:-{value}}} " in made.decode()


@pytest.mark.slow
def test_the_batches_keep_their_shares() -> None:
    text = FLAT.replace("ppo_micro_batch_size_per_gpu=116", "ppo_micro_batch_size_per_gpu=29")
    series = planned(text, FLAT_KEYS)
    assert all(value % 4 == 0 for value in series.plan.candidates)
    made = scripts(series.candidates, series.plan)[series.plan.probes[0].name].decode()
    value = series.plan.probes[0].value
    assert f"data.train_batch_size={value} " in made
    assert f"actor.ppo_micro_batch_size_per_gpu={value // 4} " in made
