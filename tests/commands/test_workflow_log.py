"""In a log of GitHub Actions, nothing of a script's text or name is taken for a command."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.command import RLBOT, rlbot
from tests.render.test_github import read

NAME = "::error file=x::owned.sh"


def _lint(folder: Path, *arguments: str, **environment: str) -> str:
    (folder / NAME).write_text("python3 -m verl.trainer.main_ppo trainer.nodes=1\n")
    done = rlbot("lint", NAME, *arguments, cwd=folder, environment=environment)
    assert done.status == 1
    return done.out


def test_elsewhere_the_output_is_plain(tmp_path: Path) -> None:
    assert _lint(tmp_path).startswith(NAME)


def test_in_a_log_commands_are_stopped_around_it(tmp_path: Path) -> None:
    lines = _lint(tmp_path, GITHUB_ACTIONS="true").splitlines()
    first, token = lines[0].rsplit("::", 1)
    assert first == "::stop-commands"
    assert len(token) == 32
    assert lines[-1] == f"::{token}::"
    assert lines[1:-1] == _lint(tmp_path).splitlines()


def test_nothing_is_added_where_nothing_could_be_obeyed(tmp_path: Path) -> None:
    for form in ("json", "sarif", "markdown"):
        plain = _lint(tmp_path, "--format", form)
        assert _lint(tmp_path, "--format", form, GITHUB_ACTIONS="true") == plain
        assert read(plain)[0] == []


def test_annotations_are_commands(tmp_path: Path) -> None:
    out = _lint(tmp_path, "--format", "github", GITHUB_ACTIONS="true")
    commands, others = read(out)
    assert {command.name for command in commands} <= {"error", "warning", "notice"}
    assert {command.properties["file"] for command in commands} == {NAME}
    assert len(others) == 2


@pytest.mark.process
def test_a_file_gets_no_commands(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("echo\n")
    with (tmp_path / "out").open("wb") as file:
        subprocess.run(
            [RLBOT, "lint", NAME],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "GITHUB_ACTIONS": "true", "HOME": str(tmp_path)},
            stdout=file,
            check=False,
        )
    assert "stop-commands" not in (tmp_path / "out").read_text(encoding="utf-8")
