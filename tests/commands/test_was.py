"""`rlbot lint --was`: what a change of the configuration newly breaks, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.command import Result, rlbot

OLD = "data:\n  train_batch_size: 8\n  old: 1\ntrainer:\n  gone: 1\n  steps: 5\n"
NEW = "data:\n  train_batch_size: 8\n  new: 1\ntrainer:\n  steps: 5\n"
RECIPE = (
    "hydra:\n  searchpath: [file://verl/trainer/config]\n"
    "defaults: [ppo_trainer, _self_]\nmine: {key: 1}\n"
)
MAIN = '@hydra.main(config_path="config", config_name="mine")\ndef main(config): ...\n'
SCRIPTS = {
    "examples/kept.sh": "python3 -m verl.trainer.main_ppo trainer.steps=2\n",
    "examples/one.sh": "python3 -m verl.trainer.main_ppo trainer.steps=2 trainer.gone=2\n",
    "examples/two.sh": "python3 -m verl.trainer.main_ppo data.old=2 trainer.gone=3\n",
    "examples/misspelt.sh": "python3 -m verl.trainer.main_ppo trainer.stepz=2\n",
    "examples/broken.sh": "python3 -m verl.trainer.main_ppo trainer.stepz=2 trainer.gone=2\n",
    "examples/other.sh": "echo trainer.gone=2\n",
    "recipe/mine/run.sh": "python3 -m recipe.mine.main_mine mine.key=2 trainer.gone=2\n",
}


def _write(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder


def _tree(folder: Path, config: str) -> Path:
    own = {"recipe/mine/config/mine.yaml": RECIPE, "recipe/mine/main_mine.py": MAIN}
    root = {"verl/trainer/config/ppo_trainer.yaml": config}
    return _write(folder, SCRIPTS | own | root)


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    """A folder with the repository before the change and after it."""
    _tree(tmp_path / "old", OLD)
    _tree(tmp_path / "new", NEW)
    return tmp_path


def _was(trees: Path, *arguments: str) -> Result:
    return rlbot("lint", "--was", "../old", *arguments, cwd=trees / "new")


def test_what_a_change_breaks_is_said_by_setting(trees: Path, snapshot: SnapshotAssertion) -> None:
    result = _was(trees, ".")
    assert (result.status, result.err) == (1, "")
    assert result.out == snapshot


def test_in_chinese(trees: Path, snapshot: SnapshotAssertion) -> None:
    assert _was(trees, "--lang", "zh", ".").out == snapshot


def test_the_json_groups_by_setting_and_leaves_out_what_was_broken_before(trees: Path) -> None:
    report = json.loads(_was(trees, "--format", "json", ".").out)
    change = report["configuration_change"]
    paths = {one["key"]: [f["path"] for f in one["findings"]] for one in change["broken"]}
    assert paths == {
        "trainer.gone": ["examples/one.sh", "examples/two.sh", "recipe/mine/run.sh"],
        "data.old": ["examples/two.sh"],
    }
    assert change["refused"] == ["examples/broken.sh"]
    assert (change["scripts"], change["unchecked"]) == (6, [])
    assert (report["verdict"], report["scripts"]) == ("fail", [])


def test_nothing_is_broken_by_no_change(trees: Path) -> None:
    result = rlbot("lint", "--was", ".", ".", cwd=trees / "old")
    assert result.status == 0
    assert (
        result.out == "nothing found; the change of the configuration breaks none of 6 scripts.\n"
    )


def test_a_sentence_ends_as_its_language_does(trees: Path) -> None:
    result = rlbot("lint", "--was", ".", ".", "--lang", "zh", cwd=trees / "old")
    assert result.out.endswith("任何一个。\n")


@pytest.mark.parametrize("old", ["../old", "../old/verl/trainer/config"])
def test_the_folder_of_a_configuration_is_enough(trees: Path, old: str) -> None:
    result = rlbot("lint", "--was", old, "examples/one.sh", cwd=trees / "new")
    assert result.status == 1
    assert "breaks 1 of 1 script." in result.out


def test_scripts_of_the_old_tree_meet_the_configuration_of_the_new(trees: Path) -> None:
    arguments = ("--framework-tree", "../new", "--format", "json", ".")
    out = rlbot("lint", "--was", ".", *arguments, cwd=trees / "old").out
    change = json.loads(out)["configuration_change"]
    assert [one["key"] for one in change["broken"]] == ["trainer.gone", "data.old"]
    assert len(change["broken"][0]["findings"]) == 3


def test_a_new_configuration_that_hydra_refuses_breaks_every_script(trees: Path) -> None:
    root = trees / "new/verl/trainer/config/ppo_trainer.yaml"
    root.write_text("defaults: [absent/one, _self_]\n" + NEW)
    change = json.loads(_was(trees, "--format", "json", ".").out)["configuration_change"]
    (one,) = change["broken"]
    assert (one["key"], one["findings"][0]["id"]) == (None, "RLB029")
    assert {f["path"] for f in one["findings"]} >= {"examples/kept.sh", "examples/one.sh"}


def test_where_the_old_settings_are_not_known_nothing_is_called_newly_broken(trees: Path) -> None:
    config = trees / "old/verl/trainer/config"
    (config / "ppo_trainer.yaml").write_text("defaults: [model: mine, _self_]\n" + OLD)
    (trees / "models").mkdir()
    (config / "model").symlink_to(trees / "models")
    result = _was(trees, "--format", "json", "examples/one.sh")
    change = json.loads(result.out)["configuration_change"]
    assert (change["broken"], result.status) == ([], 3)
    assert change["unchecked"]


def test_what_did_not_start_before_is_not_newly_broken(trees: Path) -> None:
    root = trees / "old/verl/trainer/config/ppo_trainer.yaml"
    root.write_text("defaults: [absent/one, _self_]\n" + OLD)
    result = _was(trees, "--format", "json", "examples/one.sh")
    change = json.loads(result.out)["configuration_change"]
    assert (change["broken"], change["refused"]) == ([], ["examples/one.sh"])
    assert result.status == 0


@pytest.mark.parametrize(
    "refused", ["model=absent", "trainer.steps=[1", "+trainer.steps=2", "mode=x", "stepz"]
)
def test_what_the_framework_refused_before_is_not_newly_broken(trees: Path, refused: str) -> None:
    for folder, config in (("old", OLD), ("new", NEW)):
        root = {"ppo_trainer.yaml": "defaults: [model: small, _self_]\n" + config}
        _write(trees / folder / "verl/trainer/config", root | {"model/small.yaml": "layers: 2\n"})
    launch = f"python3 -m verl.trainer.main_ppo {refused} trainer.gone=2\n"
    _write(trees / "new", {"examples/one.sh": launch})
    result = _was(trees, "--format", "json", "examples/one.sh")
    change = json.loads(result.out)["configuration_change"]
    assert (change["broken"], change["refused"]) == ([], ["examples/one.sh"])


@pytest.mark.parametrize("format_", ["github", "sarif", "markdown"])
def test_every_format_names_the_places(trees: Path, format_: str) -> None:
    out = _was(trees, "--format", format_, ".").out
    assert out.count("recipe/mine/run.sh") >= 1
    assert "examples/kept.sh" not in out


def test_what_is_no_folder_is_refused(trees: Path) -> None:
    result = rlbot("lint", "--was", "absent", ".", cwd=trees / "new")
    assert (result.status, result.err) == (
        2, "rlbot: --was takes a folder; absent is none.\n",
    )  # fmt: skip
    assert rlbot("lint", "--was", "../old", "--fix", ".", cwd=trees / "new").status == 2
    for option, at in (("--was", "examples"), ("--framework-tree", "examples")):
        refused = rlbot("lint", option, at, ".", cwd=trees / "new")
        assert refused.status == 2
        assert f" {option} takes a checkout of verl, or its folder verl/trainer" in refused.err


@pytest.mark.parametrize("option", ["--was", "--framework-tree"])
def test_a_folder_of_other_yaml_is_no_configuration(trees: Path, option: str) -> None:
    _write(trees / "y", {"a.yaml": "a: 1\n"})
    refused = rlbot("lint", option, "../y", ".", cwd=trees / "new")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == (
        "rlbot: ../y holds no configuration of verl: no program of it starts with one of the "
        f".yaml files there. {option} takes a checkout of verl, or its folder "
        "verl/trainer/config.\n"
    )


def test_a_working_tree_without_a_configuration_is_refused(trees: Path) -> None:
    scripts = {"run.sh": SCRIPTS["examples/one.sh"]}
    none = _write(trees / "none", scripts)
    refused = rlbot("lint", "--was", "../old", "run.sh", cwd=none)
    assert (refused.status, refused.out) == (2, "")
    assert "the configuration of the working tree, and none is there" in refused.err
    for named in (("--framework-tree", "../new"), ("--framework", "verl@0.9.1")):
        assert rlbot("lint", "--was", "../old", "run.sh", *named, cwd=none).status in (0, 1)


def test_a_fork_whose_roots_have_other_names_is_one(trees: Path) -> None:
    _write(trees / "fork", {"verl/trainer/config/mine.yaml": OLD})
    for at in ("../fork", "../fork/verl/trainer/config"):
        assert rlbot("lint", "--framework-tree", at, "examples", cwd=trees / "new").status != 2


def test_warnings_are_not_new_where_the_old_settings_are_not_known(trees: Path) -> None:
    """The old tree has a root that the launch does not start with."""
    _write(trees / "other", {"verl/trainer/config/sft_trainer.yaml": OLD})
    launch = verl("actor_rollout_ref.actor.optim.warmup_style=constant")
    was = ("lint", "--was", "../other", "--framework", "verl@0.9.1", "--format", "json", "run.sh")
    _write(trees / "none", {"run.sh": launch})
    here = json.loads(rlbot("lint", *was[3:], cwd=trees / "none").out)
    assert "warning" in {one["severity"] for one in here["scripts"][0]["findings"]}
    change = json.loads(rlbot(*was, cwd=trees / "none").out)["configuration_change"]
    assert change["broken"] == []
