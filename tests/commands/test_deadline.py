"""A script that takes too long is one that could not be checked; the others are."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.check import read
from bot.check.request import ScriptFile
from bot.commands.inputs import each_script
from bot.report import Unchecked
from tests.command import rlbot
from tests.hostile.scripts import SCRIPTS

HEAVY = 5 * SCRIPTS["conditions without a launch"]
"""Takes far more than the limit of these tests on any machine."""
LONG = "takes more than 0 seconds of processor time; simplify it."


# Python drops what is raised while it collects garbage; the deadline tries again.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "command",
    [
        "lint",
        "lint --diff",
        "resolve",
        "estimate",
        "verify --offline --run .",
        "lint --format json",
    ],
)
def test_each_command_says_what_it_could_not_check(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "SECONDS", 0.005)
    (tmp_path / "heavy.sh").write_text(HEAVY, encoding="utf-8")
    result = rlbot(*command.split(), "heavy.sh", cwd=tmp_path)
    assert result.status == 3
    assert f"heavy.sh {LONG}" in result.out + result.err


def test_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "SECONDS", 0.1)

    def work(script: ScriptFile) -> str:
        while script.path == "b.sh":
            pass
        return script.path

    unchecked: list[Unchecked] = []
    scripts = [ScriptFile(path=path, data=b"") for path in ("a.sh", "b.sh", "c.sh")]
    assert list(each_script(work, scripts, unchecked)) == ["a.sh", "c.sh"]
    assert [(one.check, one.reason) for one in unchecked] == [("script", f"b.sh {LONG}")]


def _faulty(script: ScriptFile) -> str:
    if script.path == "b.sh":
        raise RecursionError
    return script.path


def test_a_fault_on_one_script_hides_nothing_of_the_others() -> None:
    """Dhiwakar1997/gluon_openenv: for one of its programs nothing was said of any."""
    unchecked: list[Unchecked] = []
    scripts = [ScriptFile(path=path, data=b"") for path in ("a.sh", "b.sh", "c.sh")]
    assert list(each_script(_faulty, scripts, unchecked)) == ["a.sh", "c.sh"]
    (reason,) = [one.reason for one in unchecked]
    assert reason == (
        "b.sh could not be read: RecursionError. This is a fault of rlbot, not of the script; "
        "please report it with the script."
    )


def test_a_fault_on_the_one_script_that_is_named_is_none_to_pass_over() -> None:
    with pytest.raises(RecursionError):
        list(each_script(_faulty, [ScriptFile(path="b.sh", data=b"")], []))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_page_that_takes_too_long_is_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "SECONDS", 0.0001)
    row = "   * - a\n     - b\n"
    page = "Title\n=====\n\n.. list-table::\n   :header-rows: 1\n\n" + row * 5_000
    (tmp_path / "page.rst").write_text(page, encoding="utf-8")
    (tmp_path / "a.sh").write_text("echo\n", encoding="utf-8")
    result = rlbot("table", "check", "page.rst", "--scripts", ".", cwd=tmp_path)
    assert result.status == 3
    assert f"page.rst {LONG}" in result.err
