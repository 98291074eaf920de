from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import rlbot
from tests.review.test_local_change import Repository
from tests.table.checks.helpers import PAGE, PATH, SCRIPTS, link, page, quiet, row, section

SLUG = "stray-commit"
SELECT = ("table", "check", PAGE, "--select", SLUG)
FOREIGN = "0123456789abcdef0123456789abcdef01234567"


def test_stays_silent_without_a_history() -> None:
    assert quiet(SLUG, page(section(row(Link=link(PATH, ref=FOREIGN)))))


@pytest.fixture
def checkout(tmp_path: Path) -> Repository:
    """A clone whose page has no row yet."""
    made = Repository(tmp_path)
    made.git("remote", "add", "origin", "https://github.com/volcengine/verl.git")
    made.write(PAGE, page(section()))
    made.commit()
    return made


def _row(checkout: Repository, commit: str) -> None:
    checkout.write(PAGE, page(section(row(Link=link(PATH, ref=commit)))))


def _branch(checkout: Repository) -> str:
    """A branch that brings the script and its row, merged by squashing; gives its commit."""
    checkout.git("switch", "--quiet", "--create", "work")
    checkout.write(PATH, SCRIPTS[PATH])
    first = checkout.commit()
    _row(checkout, first)
    checkout.commit()
    checkout.git("switch", "--quiet", "main")
    checkout.git("merge", "--quiet", "--squash", "work")
    checkout.commit()
    return first


def test_a_link_is_renewed_after_a_squash_merge(checkout: Repository) -> None:
    first = _branch(checkout)
    merged = checkout.git("rev-parse", "HEAD")
    done = rlbot(*SELECT, cwd=checkout.folder)
    assert done.status == 0
    assert f"the link pins {first[:10]}, which is not in the history of this branch" in done.out
    assert f"pin {merged[:10]}, which has the same script" in done.out
    rlbot(*SELECT, "--fix", cwd=checkout.folder)
    text = (checkout.folder / PAGE).read_text(encoding="utf-8")
    assert link(PATH, ref=merged) in text
    assert "nothing found" in rlbot(*SELECT, cwd=checkout.folder).out


def test_a_later_script_is_another_one(checkout: Repository) -> None:
    """The row is about the script that its link led to."""
    _branch(checkout)
    merged = checkout.git("rev-parse", "HEAD")
    checkout.write(PATH, SCRIPTS[PATH] + "# more\n")
    checkout.commit()
    rlbot(*SELECT, "--fix", cwd=checkout.folder)
    assert link(PATH, ref=merged) in (checkout.folder / PAGE).read_text(encoding="utf-8")


def test_a_commit_that_the_clone_lacks(checkout: Repository) -> None:
    """Renewed where the script never changed, and left where nobody knows which one it was."""
    checkout.write(PATH, SCRIPTS[PATH])
    _row(checkout, FOREIGN)
    merged = checkout.commit()
    assert f"pin {merged[:10]}" in rlbot(*SELECT, cwd=checkout.folder).out
    checkout.write(PATH, SCRIPTS[PATH] + "# more\n")
    checkout.commit()
    assert "nothing found" in rlbot(*SELECT, cwd=checkout.folder).out


@pytest.mark.parametrize("ref", ["main", "HEAD~1", "HEAD"])
def test_what_is_on_the_branch_stays(checkout: Repository, ref: str) -> None:
    checkout.write(PATH, SCRIPTS[PATH])
    checkout.commit()
    checkout.write("README.md", "x\n")
    checkout.commit()
    _row(checkout, "main" if ref == "main" else checkout.git("rev-parse", ref))
    assert "nothing found" in rlbot(*SELECT, cwd=checkout.folder).out


def test_a_shallow_clone_knows_too_little(checkout: Repository, tmp_path: Path) -> None:
    _branch(checkout)
    shallow = tmp_path / "shallow"
    checkout.git("clone", "--quiet", "--depth=1", f"file://{checkout.folder}", str(shallow))
    assert "nothing found" in rlbot(*SELECT, cwd=shallow).out
