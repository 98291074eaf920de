"""The link that `table add` writes: as the page's other rows have it; `table check` takes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import rlbot
from tests.review.test_local_change import Repository
from tests.table.checks.helpers import BLOB, COMMIT, PAGE, PATH, SCRIPTS, link, page, row, section

OTHER = PATH.replace("8_h100", "4_h100")


def _checkout(folder: Path, cell: str) -> Repository:
    """A clone with a page whose only row links to another script."""
    folder.mkdir(exist_ok=True)
    made = Repository(folder)
    made.git("remote", "add", "origin", "git@github.com:volcengine/verl.git")
    made.write(OTHER, SCRIPTS[PATH])
    made.write(PAGE, page(section(row(Resource="4*H100", Link=cell))))
    made.commit()
    made.write(PATH, SCRIPTS[PATH])
    return made


def _added(folder: Path) -> str:
    done = rlbot("table", "add", PAGE, PATH, "--contributor", "ada", cwd=folder)
    assert done.status == 0, done.err
    return done.out


@pytest.mark.parametrize("branch", ["main", "master"])
def test_it_names_the_branch_as_the_other_rows_do(tmp_path: Path, branch: str) -> None:
    made = _checkout(tmp_path, link(OTHER, ref=branch))
    assert f"<{BLOB}/{branch}/{PATH}>`_" in _added(made.folder)
    assert "Row already" in _added(made.folder)
    checked = rlbot("table", "check", PAGE, "--select", "dead-link", cwd=made.folder)
    assert "nothing found" in checked.out


def test_it_pins_the_commit_that_has_the_script(tmp_path: Path) -> None:
    made = _checkout(tmp_path, link(OTHER, ref=COMMIT))
    # No commit has it yet: the link holds once it is merged.
    assert f"<{BLOB}/HEAD/{PATH}>`_" in _added(made.folder)
    made.git("checkout", "--quiet", PAGE)
    head = made.commit()
    assert f"<{BLOB}/{head}/{PATH}>`_" in _added(made.folder)
    made.commit()
    assert "Row already" in _added(made.folder), "a later commit asks for no other link"
    checked = rlbot("table", "check", PAGE, "--select", "stray-commit", cwd=made.folder)
    assert f"pins {head[:10]}" not in checked.out


@pytest.mark.parametrize("at", [PAGE, "tuning.rst"])
def test_without_a_remote_it_starts_from_the_page(tmp_path: Path, at: str) -> None:
    made = Repository(tmp_path)
    made.write(PATH, SCRIPTS[PATH])
    made.write(at, page(section()))
    made.commit()
    added = rlbot("table", "add", at, PATH, "--contributor", "ada", cwd=tmp_path)
    beside = f"../../{PATH}" if at == PAGE else f"./{PATH}"
    assert f"<{beside}>`_" in added.out, added.err
    checked = rlbot("table", "check", at, "--select", "dead-link", cwd=tmp_path)
    assert "nothing found" in checked.out


def test_a_script_of_another_place_is_named(tmp_path: Path) -> None:
    made = _checkout(tmp_path / "clone", link(OTHER))
    other = tmp_path / "elsewhere" / Path(PATH).name
    other.parent.mkdir()
    other.write_text(SCRIPTS[PATH], encoding="utf-8")
    done = rlbot("table", "add", PAGE, str(other), "--contributor", "ada", cwd=made.folder)
    assert str(tmp_path) not in done.out
    assert f"- {other.name}" in done.out.replace("\\", "")
