"""The commands that write users' files: planted links, and several at once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command import RLBOT, rlbot
from tests.commands.test_cli import NAME, PAGE, RECIPE, SCRIPT
from tests.conftest import WrittenRun

PATH = f"examples/tuning/7b/{NAME}"
HANGS = 600
"""Seconds after which a process is taken to wait for ever."""
ADD = ("table", "add", "page.rst", PATH, "--offline", "--force")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "page.rst").write_text(PAGE, encoding="utf-8")
    (tmp_path / PATH).parent.mkdir(parents=True)
    (tmp_path / PATH).write_text(SCRIPT, encoding="utf-8")
    return tmp_path


def test_a_link_where_the_draft_was_is_not_followed(folder: Path) -> None:
    victim = folder / "victim"
    victim.write_text("mine")
    (folder / "page.rst.rlbot-new").symlink_to(victim)
    assert rlbot(*ADD, cwd=folder).status == 0
    assert "* - MIN" in (folder / "page.rst").read_text(encoding="utf-8")
    assert victim.read_text() == "mine"
    assert (folder / "page.rst.rlbot-new").is_symlink()


@pytest.mark.parametrize("command", [ADD, ("verify", PATH, "--offline", "--report", "page.html")])
def test_a_page_that_is_a_link_stays_one(folder: Path, command: tuple[str, ...]) -> None:
    there = folder / "elsewhere"
    (folder / "page.rst").rename(there)
    for name in ("page.rst", "page.html"):
        (folder / name).symlink_to(there)
    result = rlbot(*command, cwd=folder)
    assert result.status == 2
    assert "is a symbolic link and was not written; name the file that it leads to." in result.err
    assert (folder / "page.rst").is_symlink()
    assert (folder / "page.html").is_symlink()
    assert there.read_text(encoding="utf-8") == PAGE


def test_a_run_report_leaves_no_draft(folder: Path, written: WrittenRun) -> None:
    rlbot("verify", PATH, "--run", written(RECIPE), "--report=out.html", cwd=folder)
    assert sorted(path.name for path in folder.iterdir()) == ["examples", "out.html", "page.rst"]


@pytest.mark.process
def test_six_rows_at_once_are_written_or_refused(folder: Path) -> None:
    processes = {}
    for gpus in (1, 2, 4, 8, 16, 32):
        name = NAME.replace("_2_", f"_{gpus}_")
        (folder / f"examples/tuning/7b/{name}").write_text(
            SCRIPT.replace("per_node=2", f"per_node={min(gpus, 8)}").replace(
                "nnodes=1", f"nnodes={max(gpus // 8, 1)}"
            ),
            encoding="utf-8",
        )
        processes[name] = subprocess.Popen(
            (RLBOT, "table", "add", "page.rst", f"examples/tuning/7b/{name}", *ADD[4:]),
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    ended = {
        name: (*one.communicate(timeout=600), one.returncode) for name, one in processes.items()
    }
    page = (folder / "page.rst").read_text(encoding="utf-8")
    added = 0
    for name, (out, err, status) in ended.items():
        if status == 0:
            assert out.startswith("Row added")
            assert name in page
            added += 1
        else:
            sentence = "page.rst changed meanwhile and was not written; run the command again."
            assert (status, out, err) == (2, "", f"rlbot: {sentence}\n")
            assert name not in page
    assert added
