"""T6 and T7: evidence that is not this script's, or backs another one already, backs nothing."""

from __future__ import annotations

import copy
from importlib import import_module
from typing import Any

import pytest

from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.report import Evidence, ScriptReport
from tests.conftest import WrittenRun
from tests.github.world import GOOD, SCRIPT
from tests.runs.recipe import RunRecipe

CONFIG: dict[str, Any] = import_module("examples.demo.__main__").CONFIG


def _checked(written: WrittenRun, recipe: RunRecipe, data: bytes = GOOD) -> ScriptReport:
    options = CheckOptions(evidence="required", runs_in_use={})
    return check_script(ScriptFile(path=SCRIPT, data=data), options, run=written(recipe))


def _evidence(report: ScriptReport) -> Evidence:
    assert report.evidence is not None
    return report.evidence


def test_the_scripts_own_run_backs_it(written: WrittenRun) -> None:
    report = _checked(written, RunRecipe(config=CONFIG))
    assert (report.verdict, _evidence(report).verdict) == ("pass", "consistent")


@pytest.mark.parametrize(
    ("place", "value", "claim"),
    [
        (("actor_rollout_ref", "model", "path"), "Qwen/Qwen2.5-0.5B-Instruct", "model"),
        (("data", "train_batch_size"), 8, "train batch"),
        (("actor_rollout_ref", "actor", "optim", "lr"), 1.0, None),
    ],
)
def test_t6_a_run_of_something_else_does_not_back_a_script(
    written: WrittenRun, place: tuple[str, ...], value: object, claim: str | None
) -> None:
    config = copy.deepcopy(CONFIG)
    at = config
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    report = _checked(written, RunRecipe(config=config))
    assert (report.verdict, _evidence(report).verdict) == ("fail", "inconsistent")
    against = [c.claim for c in _evidence(report).claims if c.verdict == "inconsistent"]
    assert against[0] == (claim or ".".join(place))


@pytest.mark.parametrize(
    "changes", [{"gpu": "NVIDIA A100-SXM4-80GB"}, {"gpus": 1}, {"gpu_memory_bytes": 24 * 2**30}]
)
def test_t6_a_run_on_other_hardware_does_not_back_a_script(
    written: WrittenRun, changes: dict[str, Any]
) -> None:
    report = _checked(written, RunRecipe(config=CONFIG, **changes))
    assert (report.verdict, _evidence(report).verdict) == ("fail", "inconsistent")


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"steps": 1}, id="a tiny run"),
        pytest.param({"memory_keys": (), "peak_gib": None, "gpu": None}, id="no memory"),
    ],
)
def test_t6_a_run_that_tells_nothing_decisive_proves_nothing(
    written: WrittenRun, changes: dict[str, Any]
) -> None:
    report = _checked(written, RunRecipe(config=CONFIG, **changes))
    assert (report.verdict, _evidence(report).verdict) == ("inconclusive", "inconclusive")


def test_t6_another_run_than_the_linked_one_is_compared_no_further(written: WrittenRun) -> None:
    linked = GOOD + b"\n# wandb: https://wandb.ai/verl-team/verl_tuning/runs/zzz999\n"
    evidence = _evidence(_checked(written, RunRecipe(config=CONFIG), linked))
    assert evidence.verdict == "inconclusive"
    assert [claim.claim for claim in evidence.claims] == ["run"]


def test_t7_a_run_that_backs_another_script_backs_no_second_one(written: WrittenRun) -> None:
    used = {"verl-team/verl_tuning/abc123": ("examples/tuning/7b/other.sh",)}
    options = CheckOptions(evidence="required", runs_in_use=used)
    folder = written(RunRecipe(config=CONFIG))
    report = check_script(ScriptFile(path=SCRIPT, data=GOOD), options, run=folder)
    assert (report.verdict, _evidence(report).verdict) == ("fail", "inconsistent")
