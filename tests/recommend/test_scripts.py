"""Every script that `rlbot recommend` can write: clean, read by bash as by us, and as predicted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest
import yaml

from bot.check.estimate import estimate_script
from bot.check.read import read_script
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_read, check_script
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.plan import Plan
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.releases import releases
from bot.frameworks.settings.setting import Setting
from bot.recommend.answer import RecommendAnswer, recommend
from bot.recommend.cards import usable_device
from bot.recommend.request import (
    QUANTIZED,
    TASKS,
    Hardware,
    Method,
    Request,
    Sizes,
    make_request,
)
from bot.recommend.search import Search
from bot.shell import read
from tests.frameworks.test_openrlhf import parser_of
from tests.recommend.composed import argparse_refusal, hydra_refusal, overrides_of, plan_of
from tests.shell.judge import Judge, started
from tests.shell.judge import Script as Shell

MODELS = {"verl": "Qwen/Qwen2.5-7B-Instruct", "openrlhf": "Qwen/Qwen3-8B", "trl": "Qwen/Qwen3-4B"}
COMBINATIONS = [
    (framework, task, method)
    for framework, tasks in TASKS.items()
    for task in tasks
    for method in get_args(Method)
    if method in ("full", "lora") or framework == "trl"
    if method != "qlora" or task in QUANTIZED
]
_EVERY = pytest.mark.parametrize("answer", COMBINATIONS, indirect=True, ids="-".join)


def _request(framework: str, task: str, method: str) -> Request:
    return make_request(
        MODELS[framework],
        task=task,
        method=method,
        framework=framework,
        sizes=Sizes(prompt=1024, response=1024, batch=128),
    )


@pytest.fixture(scope="module")
def answer(request: pytest.FixtureRequest) -> RecommendAnswer:
    """That of a combination; its tests stand beside each other, so that it is made once."""
    framework, task, method = request.param
    asked = _request(framework, task, method)
    devices = ("h100", "rtx4090", "910b" if framework == "verl" else "a100-40", "h200")
    search = Search(asked, releases(framework)[-1])
    return recommend(search, Hardware(devices=tuple(map(usable_device, devices)), budget=16))


@pytest.mark.slow
@_EVERY
def test_a_written_script_has_no_error_and_no_warning(
    answer: RecommendAnswer, request: pytest.FixtureRequest
) -> None:
    framework, _, _ = request.node.callspec.params["answer"]
    assert answer.scripts
    for name, text in answer.scripts.values():
        script, options = ScriptFile(path=name, data=text.encode()), CheckOptions()
        context = read_script(script, options)
        report = check_read(script, context, options).report
        wrong = [f for f in report.findings if f.severity in ("error", "warning")]
        assert not wrong, (name, [(f.id, f.message) for f in wrong])
        assert report.name is not None
        assert report.name.valid, name
        (plan,) = context.plans
        assert plan.framework == framework
        assert plan.configuration.release == releases(framework)[-1]
        assert not plan.bad_arguments
        assert plan.table is not None
        assert all(plan.table.verdicts(plan.settings)), name


@pytest.mark.slow
@_EVERY
def test_the_estimate_of_a_script_is_its_recommendation(answer: RecommendAnswer) -> None:
    for one in answer.recommendations.predicted:
        name, text = answer.scripts[one.rank]
        made = estimate_script(ScriptFile(path=name, data=text.encode()), CheckOptions()).estimate
        assert made is not None
        assert (made.outcome, made.binding, made.gpus) == (one.verdict, one.binding, one.gpus)
        assert made.peak_gib == pytest.approx(one.peak_gib, abs=0.011)
        assert made.host_gib == pytest.approx(one.host_gib, abs=0.011)
        assert made.device == one.device
        assert one.may_fit or one.peak_gib < one.usable_gib


@pytest.mark.slow
@pytest.mark.parametrize(
    ("framework", "task", "method", "gpus"),
    [
        *(("verl", "grpo", "full", gpus) for gpus in (3, 5, 6, 12)),
        ("verl", "ppo", "lora", 5),
        ("verl", "sft", "full", 6),
        ("openrlhf", "ppo", "full", 6),
        ("openrlhf", "rm", "lora", 3),
        ("trl", "grpo", "dora", 12),
    ],
)
def test_numbers_of_gpus_that_are_no_powers_of_two(
    framework: str, task: str, method: str, gpus: int
) -> None:
    request = make_request(
        MODELS[framework],
        task=task,
        method=method,
        framework=framework,
        sizes=Sizes(prompt=512, response=512, batch=60),
    )
    answer = recommend(
        Search(request, releases(framework)[-1]),
        Hardware(devices=(usable_device("a100"),), budget=gpus, whole=True),
    )
    mine = [one for one in answer.recommendations.predicted if one.gpus == gpus]
    assert mine
    for one in mine:
        name, text = answer.scripts[one.rank]
        report = check_script(ScriptFile(path=name, data=text.encode()), CheckOptions())
        wrong = [f for f in report.findings if f.severity in ("error", "warning")]
        assert not wrong, (name, [(f.id, f.message) for f in wrong])
        made = estimate_script(ScriptFile(path=name, data=text.encode()), CheckOptions()).estimate
        assert made is not None
        assert (made.gpus, made.outcome) == (gpus, one.verdict)


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer", [one for one in COMBINATIONS if one[0] != "trl"], indirect=True, ids="-".join
)
def test_a_written_script_starts(answer: RecommendAnswer, tmp_path: Path) -> None:
    """By real Hydra on the released configuration, and by an argparse of the released options."""
    scripts = answer.scripts.values()
    plan = max((plan_of(text.encode(), name) for name, text in scripts), key=_number_set)
    if isinstance(plan.table, OptionTable):
        assert argparse_refusal(parser_of(plan.table), plan) is None
        return
    assert isinstance(plan.table, HydraTable)
    chosen = [s for s in plan.settings if s.key in plan.table.groups]
    overrides = [text for text in overrides_of(plan) if text.partition("=")[0] not in _keys(chosen)]
    tree = plan.table.tree_for(plan.settings)
    (tmp_path / "released.yaml").write_text(yaml.dump(tree, Dumper=yaml.CSafeDumper))
    assert hydra_refusal(tmp_path, "released", overrides) is None


def test_hydra_refuses_what_is_not_released(tmp_path: Path) -> None:
    (tmp_path / "released.yaml").write_text("trainer: {nnodes: 1}")
    assert hydra_refusal(tmp_path, "released", ["trainer.nnodes=2"]) is None
    assert "no.such.key" in (hydra_refusal(tmp_path, "released", ["no.such.key=1"]) or "")


def _keys(settings: Sequence[Setting]) -> set[str]:
    return {setting.key for setting in settings}


def _number_set(plan: Plan) -> int:
    return len(plan.settings)


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("judge"))


@pytest.mark.process
@_EVERY
def test_bash_resolves_the_scripts_as_we_do(answer: RecommendAnswer, judge: Judge) -> None:
    texts = [text for _, text in answer.scripts.values()]
    environment = {"WANDB_API_KEY": "from-the-environment", "MASTER_ADDR": "first-node"}
    ran = judge.run([Shell(text, environment=environment) for text in texts])
    for text, calls in zip(texts, ran, strict=True):
        (command,) = started(read(text.encode(), "made.sh"))
        (call,) = calls
        ours = [word for word in command.argv if word.text != "${?arguments of the script}"]
        assert len(call.argv) == len(ours), (call.argv, [w.text for w in ours])
        for word, theirs in zip(ours, call.argv, strict=True):
            if word.complete:
                assert word.text == theirs
