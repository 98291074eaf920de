"""Which files of a folder on disk say which configuration counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.commands import checkouts
from tests.command import rlbot

SCRIPT = "python3 -m verl.trainer.main_ppo data.train_batch_size=8 trainer.mine=1\n"
ROOT = "data:\n  train_batch_size: 8\ntrainer:\n  mine: 1\n"


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    """A folder that holds a repository without `.git`, as an archive unpacks."""
    config = tmp_path / "fork/verl/trainer/config"
    config.mkdir(parents=True)
    (config / "ppo_trainer.yaml").write_text(ROOT)
    (tmp_path / "fork/examples").mkdir()
    (tmp_path / "fork/examples/run.sh").write_text(SCRIPT)
    return tmp_path / "fork"


def _lint(fork: Path) -> tuple[list[str], list[str], list[str]]:
    """Rules that found errors, what was not checked, and what the script was read with."""
    result = rlbot("lint", "--format", "json", "fork/examples/run.sh", cwd=fork.parent)
    found = json.loads(result.out)["scripts"][0]
    rules = [finding["id"] for finding in found["findings"] if finding["severity"] == "error"]
    return rules, [one["reason"] for one in found["unchecked"]], found["configurations"]


def test_the_folder_that_vendors_verl_counts_wherever_the_command_runs(
    fork: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        (fork.parent / f"other{number}").mkdir()
    monkeypatch.setattr(checkouts, "_NAMES", 20)
    rules, unchecked, read_with = _lint(fork)
    assert (rules, unchecked) == ([], [])
    assert read_with == ["verl/trainer/config of this repository"]


def test_a_folder_too_large_to_search_is_not_checked(
    fork: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkouts, "_NAMES", 3)
    _, unchecked, read_with = _lint(fork)
    (reason,) = unchecked
    assert "more than 3 files and folders" in reason
    assert not any("of this repository" in one for one in read_with)


def test_a_large_folder_that_is_no_repository_says_nothing_of_a_script_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script in /tmp or in somebody's home."""
    (tmp_path / "run.sh").write_text(SCRIPT)
    (tmp_path / "a/b/c/d").mkdir(parents=True)

    def lint(*paths: str) -> list[str]:
        result = rlbot("lint", "--format", "json", *paths, cwd=tmp_path)
        return [one["reason"] for one in json.loads(result.out)["scripts"][0]["unchecked"]]

    monkeypatch.setattr(checkouts, "_NAMES_OF_NONE", 2)
    assert lint("run.sh") == []
    monkeypatch.setattr(checkouts, "_NAMES", 2)
    assert lint("run.sh") == []
    assert "more than 2 files" in lint(".")[0]
    (tmp_path / ".git").mkdir()
    assert "more than 2 files" in lint("run.sh")[0]


def test_what_hydra_refuses_is_an_error_only_where_no_file_is_left_out(fork: Path) -> None:
    config = fork / "verl/trainer/config"
    (config / "ppo_trainer.yaml").write_text("defaults:\n  - model: mine\n  - _self_\n" + ROOT)
    assert _lint(fork)[0] == ["RLB029"]
    (fork / "models").mkdir()
    (config / "model").symlink_to(fork / "models")
    rules, unchecked, _ = _lint(fork)
    assert rules == []
    assert unchecked


@pytest.fixture
def beside(fork: Path) -> Path:
    """A project without `.git` and without verl, unpacked beside the fork."""
    project = fork.parent / "project"
    (project / "scripts").mkdir(parents=True)
    (project / "scripts/run.sh").write_text(SCRIPT.replace("trainer.mine=1", ""))
    (fork / "verl/trainer/config/ppo_trainer.yaml").write_text("data:\n  mine: 8\n")
    return project


@pytest.mark.parametrize("named", ["pyproject.toml", "setup.py", "LICENSE"])
@pytest.mark.parametrize("path", ["project/scripts/run.sh", "project", "."])
def test_a_copy_of_verl_in_another_project_does_not_count(
    beside: Path, path: str, named: str
) -> None:
    (beside / named).touch()
    assert "this repository" not in _read_with(beside, path)


@pytest.mark.parametrize(
    "root_file", ["README.md", "requirements.txt", "pyproject.toml", "project/README.md"]
)
def test_one_project_of_several_folders_counts_whole(beside: Path, root_file: str) -> None:
    """The folder around both says what it is, or nothing says that the inner one is a project."""
    if not root_file.startswith("project/"):
        (beside / "setup.py").touch()
    (beside.parent / root_file).touch()
    assert "fork/verl/trainer/config of this repository" in _read_with(beside, "project")


def _read_with(project: Path, path: str) -> str:
    """What a script of the project was read with, of those that a path names."""
    result = rlbot("lint", "--format", "json", path, cwd=project.parent)
    scripts = json.loads(result.out)["scripts"]
    (found,) = (one for one in scripts if one["path"].startswith("project/"))
    return " ".join(found["configurations"])
