"""Programs whose settings OmegaConf makes of dataclasses, judged by OmegaConf itself."""

from __future__ import annotations

import sys
from functools import cache
from types import ModuleType

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout, needed
from bot.frameworks.python.structured import structured_table, yaml_settings
from bot.frameworks.settings.setting import BadArgument
from bot.shell.source import Span
from tests.frameworks.made import setting, word

CONFIG = """
from dataclasses import dataclass, field
from typing import Any, Optional

@dataclass
class Optim:
    lr: float = 1e-6
    steps: int = field(default=-1, init=False)

@dataclass
class Actor:
    optim: Optim = field(default_factory=Optim)
    model_path: Optional[str] = None
    kwargs: dict[str, Any] = field(default_factory=dict)

@dataclass
class Config:
    actor: Actor = field(default_factory=Actor)
    flag: bool = True
"""
MAIN = """
from omegaconf import OmegaConf
def main():
    cli = OmegaConf.from_cli()
    default = OmegaConf.structured(Config())
    return OmegaConf.merge(default, cli)
"""
FILES = {
    "verl/trainer/main.py": MAIN.encode(),
    "verl/trainer/config.py": CONFIG.encode(),
    "examples/config.yaml": b"flag: true\n",
}
SECTIONS = st.sampled_from(["actor", "optim", "lr", "steps", "kwargs", "model_path", "flag", "lrr"])


@cache
def _config() -> type:
    module = ModuleType("structured_example")
    sys.modules[module.__name__] = module  # Type hints are looked up there.
    exec(CONFIG, module.__dict__)  # noqa: S102 - the test's own text
    found: type = module.__dict__["Config"]
    return found


def _takes(word: str) -> bool:
    try:
        OmegaConf.merge(OmegaConf.structured(_config()), OmegaConf.from_dotlist([word]))
    except (OmegaConfBaseException, YAMLError):
        return False
    return True


@for_all(st.lists(SECTIONS, min_size=1, max_size=3))
def test_what_it_refuses_omegaconf_refuses(parts: list[str]) -> None:
    table = structured_table(MAIN, [CONFIG], "here")
    assert table is not None
    given = f"{'.'.join(parts)}=1"
    misspelt = parts[0] == "actor" and "lrr" in parts and not {"kwargs", "lr", "steps"} & {*parts}
    if table.verdict(setting(given)).accepted is False or misspelt:
        assert not _takes(given)


@pytest.mark.parametrize(
    "given", ["actor.optim.lr=1", "actor.kwargs.any=1", "actor.optim.steps=2", "flag=false"]
)
def test_what_omegaconf_takes_is_never_refused(given: str) -> None:
    table = structured_table(MAIN, [CONFIG], "here")
    assert table is not None
    assert _takes(given)
    assert table.verdict(setting(given))


GIVEN = (
    "1",
    "-1",
    "1.0",
    "1e-6",
    "1e3",
    "abc",
    "true",
    "Ture",
    "yes",
    "on",
    "null",
    "",
    "~",
    "[1]",
    "{a: 1}",
    "'1'",
    '"1.5"',
    "1_000",
    "0x10",
    "inf",
    ".nan",
    "${flag}",
    "???",
    "a: b",
    "- 1",
)
VALUES = st.one_of(st.sampled_from(GIVEN), st.text(max_size=6))
TYPED = st.sampled_from(
    ["actor.optim.lr", "actor.optim.steps", "actor.model_path", "flag", "actor"]
)


@for_all(TYPED, VALUES)
def test_values_are_refused_as_omegaconf_refuses_them(key: str, value: str) -> None:
    table = structured_table(MAIN, [CONFIG], "here")
    assert table is not None
    given = f"{key}={value}"
    bad = BadArgument(word(given), Span(0, 0), "")
    verdict = table.verdict(next(yaml_settings([bad])))
    if verdict.status == "invalid":
        assert not _takes(given)
    elif key in ("actor.optim.lr", "actor.optim.steps", "flag") and "${" not in value:
        assert _takes(given) or not value.isprintable()


def _errors(words: str, files: dict[str, bytes] = FILES) -> list[tuple[str, int]]:
    text = f"python3 -m verl.trainer.main \\\n    config=examples/config.yaml {words}\n"
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="examples/run.sh", data=text.encode()), options)
    return [(f.id, f.line) for f in report.findings if f.severity == "error"]


@pytest.mark.parametrize("given", ["flag=", "actor.optim.lr=null"])
def test_of_an_empty_value_no_default_is_said_that_is_there(given: str) -> None:
    """Zhitao-He/MedTutor-R1: `data.val_files=`, of a field whose default is an empty text."""
    table = structured_table(MAIN, [CONFIG], "here")
    assert table is not None
    bad = BadArgument(word(given), Span(0, 0), "")
    verdict = table.verdict(next(yaml_settings([bad])))
    why = "it cannot be null" if given.endswith("null") else "it cannot be empty"
    assert (verdict.status, verdict.message) == ("invalid", why)


def test_a_launch_is_checked_against_the_dataclasses() -> None:
    assert _errors("actor.optim.lr=1e-5") == []
    assert _errors("actor.optim.lrr=1e-5") == [("RLB020", 2)]
    assert _errors("+actor.optim.lr=1e-5") == [("RLB020", 2)]


def test_a_copy_of_verl_may_lie_in_a_package() -> None:
    """NJU-LHRS/ScoreRS: `python3 -m customVeRL.verl.trainer.main`."""
    files = {f"own/{path}": data for path, data in FILES.items()}
    text = b"python3 -m own.verl.trainer.main config=own/examples/config.yaml actor.optim.lrr=1\n"
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="own/examples/run.sh", data=text), options)
    assert [f.id for f in report.findings if f.severity == "error"] == ["RLB020"]


def test_a_value_that_is_yaml_and_not_hydra_s_is_no_error() -> None:
    assert _errors("""actor.kwargs='{"n":16,"top_p":0.7}'""") == []
    assert _errors("""actor.kwargz='{"n":16,"top_p":0.7}'""") == [("RLB020", 2)]


@pytest.mark.parametrize(
    "files",
    [
        {**FILES, "verl/other/config.py": b"class Optim:\n    lr: int = 1\n"},
        {**FILES, "verl/trainer/main.py": b"def main(): ...\n"},
        {**FILES, "verl/trainer/config.py": b"class Config(Absent):\n    a: int = 1\n"},
        {**FILES, "verl/trainer/config.py": b"class Config:\n    a: 'Config' = 1\n    b: Config\n"},
        {**FILES, "verl/trainer/main.py": b"OmegaConf.structured(made(1))(" + b"(" * 400},
    ],
)
def test_what_is_not_sure_is_not_checked(files: dict[str, bytes]) -> None:
    assert _errors("actor.optim.lrr=1", files) == []


def test_a_pull_request_asks_for_the_files_of_the_classes() -> None:
    script = b"python3 -m verl.trainer.main config=examples/config.yaml\n"
    wanted = needed([*FILES, "verl/utils/other.py"], {"examples/run.sh": script})
    classes = {"verl/trainer/main.py", "verl/trainer/config.py"}
    assert set(wanted) == {*classes, "examples/config.yaml"}
    assert set(needed([*FILES, "a.py"], {"examples/config.yaml": b"worker: {}\n"})) == classes


def _recipe(text: str, files: dict[str, bytes] = FILES) -> tuple[list[tuple[str, int, int]], int]:
    """The errors of a recipe, and how much of it was not checked."""
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="examples/config.yaml", data=text.encode()), options)
    found = [(f.id, f.line, f.column) for f in report.findings if f.severity == "error"]
    return found, len(report.unchecked)


def test_a_recipe_is_checked_at_its_lines() -> None:
    good = "flag: true\nactor:\n  optim:\n    lr: 1.0e-6\n  model_path: null\n  kwargs: {any: 1}\n"
    assert _recipe(good) == ([], 0)
    assert _recipe(good.replace("lr:", "lrr:")) == ([("RLB020", 4, 5)], 0)
    assert _recipe(good + "algorithm:\n  x: 1\n") == ([("RLB020", 7, 1)], 0)
    assert _recipe(good + "  kwargs: {}\n")[0] == [("RLB001", 7, 3)]


def test_values_are_checked_at_their_lines() -> None:
    assert _errors("flag=Ture") == [("RLB027", 2)]
    assert _errors("actor.optim.steps=1.5") == [("RLB027", 2)]
    assert _errors("flag=yes actor.optim.steps=3 actor.optim.lr=1") == []
    assert _recipe("flag: true\nactor:\n  optim:\n    lr: fast\n") == ([("RLB027", 4, 9)], 0)
    assert _recipe("flag: off\nactor:\n  optim:\n    lr: 1e-6\n") == ([], 0)


def test_a_recipe_without_its_program_is_not_checked() -> None:
    recipe = "actor:\n  optim:\n    lrr: 1\n"
    assert _recipe(recipe, {"verl/trainer/main.py": b"def main(): ...\n"}) == ([], 1)
    assert _recipe("seed: 1\n") == ([], 1)


@pytest.mark.parametrize(
    ("key", "wording"),
    [
        # bbwen/easyr1_cr: EasyR1 calls it data.rollout_batch_size.
        ("data.train_batch_size", "it is in verl 0.1 to "),
        ("data.no_such_size", "nor in any release of verl"),
    ],
)
def test_which_releases_of_verl_have_a_name_that_the_program_lacks(key: str, wording: str) -> None:
    options = CheckOptions(place=InCheckout(Checkout(FILES)))
    script = f"python3 -m verl.trainer.main config=examples/config.yaml {key}=16\n".encode()
    report = check_script(ScriptFile(path="examples/run.sh", data=script), options)
    (found,) = [one for one in report.findings if one.id == "RLB020"]
    assert found.severity == "error"
    assert wording in str(found.message)


def test_an_operator_of_hydras_is_a_part_of_the_name() -> None:
    """adorableChowhound/EasyR1_RLPR: `+worker.reward.reward_function_kwargs.format_mode=R1`."""
    options = CheckOptions(place=InCheckout(Checkout(FILES)))
    launch = "python3 -m verl.trainer.main config=examples/config.yaml"
    for text, helps in (
        ("+actor.kwargs.mode=1", ["write actor.kwargs.mode"]),
        ("actor.kwargs.mode=1", []),
    ):
        script = ScriptFile(path="examples/run.sh", data=f"{launch} {text}\n".encode())
        found = [one for one in check_script(script, options).findings if one.id == "RLB020"]
        assert [one.help for one in found] == helps
