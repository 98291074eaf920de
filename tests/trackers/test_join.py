"""Several sources of one run: what one lacks the other gives, and a contradiction is a finding."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.commands import cli
from bot.evidence import Facts, read
from bot.evidence.join import joined
from bot.evidence.links import RunSources
from bot.report import Claim, Evidence
from tests.conftest import WrittenRun
from tests.evidence.samples import facts, series
from tests.runs.console import verl_log
from tests.trackers.conftest import PLACES
from tests.trackers.record import LAUNCH
from tests.trackers.writers import event, tfrecords

DEMO: Any = import_module("examples.demo.__main__")
PEAK = "perf/max_memory_allocated_gb"


@pytest.fixture
def console(tmp_path: Path) -> Path:
    log = tmp_path / "train.log"
    log.write_text(verl_log(LAUNCH), encoding="utf-8")
    return log


def evidence(*runs: Path) -> Evidence:
    data = (DEMO.ROOT / DEMO.SCRIPT).read_bytes()
    script = ScriptFile(path=DEMO.SCRIPT, data=data)
    found = check_script(script, CheckOptions(evidence="required"), run=RunSources(runs)).evidence
    assert found is not None
    return found


def claim(found: Evidence, name: str) -> Claim:
    (one,) = [each for each in found.claims if each.claim == name]
    return one


def test_the_console_gives_the_settings_that_tensorboard_lacks(launch: Path, console: Path) -> None:
    found = evidence(launch / PLACES["TensorBoard"], console)
    agree = claim(found, "sources agree")
    assert agree.verdict == "consistent"
    assert "stand in more than one source, and are the same" in agree.reason
    count = agree.reason.split()[0]
    assert agree.observed == f"{count} values and settings in common"
    assert (found.settings_consistent, found.settings_compared) == (37, 37)
    assert claim(found, "model").source.startswith("printed configuration")
    assert "history" in claim(found, "peak memory").source
    assert found.strength == "weak"


def test_metrics_and_a_sampler_of_the_gpus_make_it_stronger(launch: Path, console: Path) -> None:
    found = evidence(launch / PLACES["TensorBoard"], console, launch / PLACES["SwanLab 0.10"])
    assert (found.verdict, found.strength) == ("consistent", "strong")
    assert claim(found, "device").verdict == "consistent"
    assert "later every 60 s" in claim(found, "peak memory").reason


def test_the_order_of_sources_decides_nothing(launch: Path, console: Path) -> None:
    places = [launch / PLACES["trackio"], console, launch / PLACES["verl's file logger"]]
    of = [{c.claim: c.verdict for c in evidence(*order).claims} for order in (places, places[::-1])]
    assert of[0] == of[1]


def test_a_wandb_folder_joins_too(launch: Path, written: WrittenRun) -> None:
    found = evidence(written(LAUNCH), launch / PLACES["MLflow folder"])
    assert claim(found, "sources agree").verdict == "consistent"


def other(place: Path, **changes: Any) -> Path:
    log = place / "other.log"
    log.write_text(verl_log(LAUNCH.but(**changes)), encoding="utf-8")
    return log


def test_another_runs_metrics_are_a_contradiction(launch: Path, tmp_path: Path) -> None:
    found = evidence(launch / PLACES["TensorBoard"], other(tmp_path, allocator_gib=40.0))
    agree = claim(found, "sources agree")
    assert (found.verdict, agree.verdict) == ("inconsistent", "inconsistent")
    assert agree.reason.startswith("The sources are not of one run, or one was changed: ")
    assert "61.5 in one and 40.5 in the other at step 1" in agree.reason


def test_another_setting_is_a_contradiction(launch: Path, tmp_path: Path) -> None:
    config = {**LAUNCH.config, "data": {**LAUNCH.config["data"], "train_batch_size": 64}}
    found = evidence(launch / PLACES["SwanLab 0.10"], other(tmp_path, config=config))
    reason = claim(found, "sources agree").reason
    assert "data.train_batch_size is 1024 in one and 64 in the other" in reason


def test_a_run_of_another_day_is_a_contradiction(launch: Path) -> None:
    parts = [read(launch / PLACES[name]) for name in ("TensorBoard", "SwanLab 0.10")]
    assert parts[1].window is not None
    began, ended = parts[1].window
    later = replace(parts[1], window=(began + 90_000, ended + 90_000))
    agreement = joined([parts[0], later]).agreement
    assert agreement is not None
    assert (agreement.verdict, "s apart" in agreement.reason) == ("inconsistent", True)


def test_what_shares_nothing_is_not_taken_for_one_run(launch: Path, tmp_path: Path) -> None:
    log = tmp_path / "events.out.tfevents.1.h"
    log.write_bytes(tfrecords([event("actor/x", 1.0, step) for step in range(1, 30)]))
    found = evidence(launch / PLACES["verl's file logger"], log)
    assert claim(found, "sources agree").verdict == "inconclusive"
    assert found.verdict == "inconclusive"


def test_numbers_of_32_bits_and_of_three_decimals_agree(launch: Path, tmp_path: Path) -> None:
    log = tmp_path / "old.log"
    log.write_text(verl_log(LAUNCH, decimals=True), encoding="utf-8")
    assert claim(evidence(launch / PLACES["TensorBoard"], log), "sources agree").verdict == (
        "consistent"
    )


def test_what_one_source_lost_is_said_with_its_name(launch: Path, console: Path) -> None:
    damaged = replace(read(launch / PLACES["TensorBoard"]), gaps=("Something is missing.",))
    gaps = joined([damaged, read(console)]).gaps
    assert gaps == ("TensorBoard folder qwen2.5-7b-grpo-2-h800: Something is missing.",)


def test_one_source_alone_is_itself(console: Path) -> None:
    facts: Facts = read(console)
    assert joined([facts]) is facts


@pytest.mark.parametrize("name", ["trackio", "MLflow database"])
def test_two_runs_of_one_tracker_are_two(launch: Path, name: str) -> None:
    """They may have every setting in common, and yet another ran longer, or with less memory."""
    first = read(launch / PLACES[name])
    second = replace(first, run=replace(first.run, id="f" * 32))
    found = joined([first, second]).agreement
    assert found is not None
    assert found.verdict == "inconsistent"
    assert f"one is run {first.run.id}, the other {'f' * 32}" in found.reason
    again = joined([first, first]).agreement
    assert again is not None
    assert again.verdict == "consistent"


def test_the_command_takes_several(
    launch: Path, console: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    runs = ["--run", str(launch / PLACES["TensorBoard"]), "--run", str(console)]
    cli.main(["verify", str(DEMO.ROOT / DEMO.SCRIPT), *runs, "--format", "json"])
    report = json.loads(capfd.readouterr().out)
    assert report["scripts"][0]["evidence"]["facts"]["kind"] == "several"


def test_the_highest_value_of_successive_parts_counts() -> None:
    """A run that was resumed: the peak stands in the shorter part, and the steps go on."""
    first = facts(
        history={PEAK: series(PEAK, 61.0, 40)}, system={0: series("gpu", 60.0, 90)}, system_rows=90
    )
    second = facts(
        history={PEAK: series(PEAK, 71.0, 20)}, system={0: series("gpu", 75.0, 40)}, system_rows=40
    )
    for parts in ((first, second), (second, first)):
        found = joined(parts)
        assert (found.history[PEAK].maximum, found.history[PEAK].at_step) == (71.0, 20)
        assert found.system[0].maximum == 75.0


def test_a_rounded_value_is_no_higher_one() -> None:
    whole, rounded = (
        facts(history={PEAK: series(PEAK, value, rows)})
        for value, rows in ((40.6, 60), (40.6004, 59))
    )
    assert joined((rounded, whole)).history[PEAK].maximum == 40.6
