from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout, ScriptPlace, plans
from bot.rules._support.example import verl
from bot.shell import read
from tests.rules.helpers import marked, quiet

SLUG = "missing-configuration"
FOLDER = "verl/trainer/config"
GOOD = {f"{FOLDER}/ppo_trainer.yaml": b"data:\n  train_batch_size: 8\n"}


def problem(files: dict[str, bytes], script: str = verl(), *, left: tuple[str, ...] = ()) -> str:
    """What is wrong with the configuration of the script's launch; "" for nothing."""
    place = ScriptPlace(Checkout(files, left), "examples/run.sh")
    (plan,) = plans(read(script.encode(), "run.sh"), place=place)
    return plan.configuration.problem.text if plan.configuration.problem else ""


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl("--config-name=ppo_megatron_trainer"),
        verl("--config-name=ppo_trainer.yaml"),
        verl("--config-name=my_own_experiment"),
        verl("--config-name=$NAME"),
        verl("--config-name=ppo_trianer", "--config-path=/elsewhere"),
        verl("--config-name=ppo_trianer", "--config-dir=conf"),
        verl("--config-name=ppo_trianer", "hydra.searchpath=[file://conf]"),
        "python3 -m recipe.mine.main_mine --config-name=ppo_trianer trainer.nnodes=1\n",
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


def test_a_misspelt_name(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl("--config-name=ppo_megatron_trianer")) == snapshot


def test_a_configuration_of_the_repository_that_composes() -> None:
    assert problem(GOOD) == ""
    assert problem(GOOD, verl("--config-dir=conf", "--config-name=mine")) == ""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b"data:\n  a: 1\n  a: 2\n", "ppo_trainer.yaml is not YAML as Hydra reads it, line 3"),
        (b"data: 1\ndefaults:\n  - model: none\n", "ppo_trainer.yaml, line 3: Could not find"),
        (b"data: ${b\n", "ppo_trainer.yaml"),
    ],
)
def test_what_hydra_refuses_is_named_with_its_file(text: bytes, place: str) -> None:
    assert place in problem({f"{FOLDER}/ppo_trainer.yaml": text})


def test_git_may_lack_a_file() -> None:
    """liuzhengyang699/DualSearch and Vision-OPD, whose verl has no data/legacy_data.yaml."""
    broken = {f"{FOLDER}/ppo_trainer.yaml": b"defaults:\n  - data: legacy_data\n"}
    script = ScriptFile(path="run.sh", data=verl().encode())
    report = check_script(script, CheckOptions(place=InCheckout(Checkout(broken))))
    (help_,) = [one.help for one in report.findings if one.id == "RLB029"]
    assert help_ == "mend the configuration; .gitignore may leave a file of it out"


def test_a_name_that_the_repository_lacks() -> None:
    said = problem(GOOD, verl("--config-name=ppo_trianer"))
    assert said.endswith("it has no ppo_trianer.yaml")


@pytest.mark.parametrize("left", [FOLDER, f"{FOLDER}/model/", "verl/"])
def test_nothing_is_said_of_a_configuration_that_is_not_there_as_a_whole(left: str) -> None:
    broken = {f"{FOLDER}/ppo_trainer.yaml": b"defaults:\n  - model: none\n"}
    inside = left if left != "verl/" else f"{FOLDER}/model"
    assert problem(broken, left=(inside,)) == ""


def test_bounds_of_the_reader_are_no_fault_of_the_configuration() -> None:
    deep = b"a: " + b"{a: " * 200 + b"1" + b"}" * 200
    assert problem({f"{FOLDER}/ppo_trainer.yaml": deep}) == ""


COPY = "cp configs/mine.yaml $HOME/verl/trainer/config/mine.yaml\n"


@pytest.mark.parametrize(
    ("before", "checked"),
    [
        (COPY, False),
        ("NAME=mine\n" + COPY.replace("mine.yaml\n", "$NAME.yaml\n"), False),
        ("cat > verl/trainer/config/mine.yaml <<'E'\ndata: 1\nE\n", False),
        ("", True),
        ("# " + COPY, True),
        ("cp configs/other.yaml verl/trainer/config/other.yaml\n", True),
    ],
)
def test_a_file_that_the_script_writes_is_not_missed(before: str, checked: bool) -> None:
    script = ScriptFile(path="run.sh", data=(before + verl("--config-name=mine")).encode())
    report = check_script(script, CheckOptions(place=InCheckout(Checkout(GOOD))))
    assert ("RLB029" in [one.id for one in report.findings]) == checked
    reasons = [one.reason for one in report.unchecked if one.check.startswith("RLB029")]
    assert reasons == ([] if checked else ["the script itself writes mine.yaml"])


@pytest.mark.parametrize(
    ("before", "path", "title"),
    [
        ("ln -s $PWD/configs $VERL/trainer/configs\n", "configs", None),
        ("", "'configs'", ""),
        ("", "configs", "write $PWD/configs"),
        ("", '"configs"', "write $PWD/configs"),
    ],
)
def test_a_folder_beside_no_program_of_an_installed_verl(
    before: str, path: str, title: str | None
) -> None:
    """A19-wyyang/gov-grpo-agent: nothing was checked, and the estimate called a setting unset."""
    data = f"{before}python3 -m verl.trainer.main_ppo --config-path {path} --config-name mine\n"
    script = ScriptFile(path="run.sh", data=data.encode())
    options = CheckOptions(place=InCheckout(Checkout({"configs/mine.yaml": b"a: 1\n"})))
    found = [one for one in check_script(script, options).findings if one.id == "RLB029"]
    assert [one.fix.title if one.fix else "" for one in found] == ([] if title is None else [title])
    estimate = estimate_script(script, options).estimate
    assert estimate is not None
    why = "Hydra does not find the launch's configuration: write --config-path $PWD/configs."
    assert estimate.reason == why
