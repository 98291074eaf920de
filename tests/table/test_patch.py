from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.render.patch import patch
from bot.table import add_row
from tests.profiles import scaled
from tests.table.factories import all_pages, make, page


def applied(folder: Path, path: str, before: str, change: str) -> str:
    """The file after `git apply`."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(before.encode())
    subprocess.run(
        ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"],
        cwd=folder,
        input=change.encode(),
        check=True,
        env={"PATH": "/usr/bin:/bin", "GIT_CEILING_DIRECTORIES": str(folder.parent)},
    )
    return target.read_bytes().decode()


@pytest.mark.process
@pytest.mark.parametrize("size", ["0.5b", "7b", "8b", "405b", "1t"])
@pytest.mark.parametrize("name", all_pages())
def test_git_applies_the_patch(name: str, size: str, tmp_path: Path) -> None:
    before = page(name)
    change = add_row(before, make(size), size=size)
    assert applied(tmp_path, before.path, before.text, change.edit.patch) == change.text


@pytest.mark.process
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\n", "a\nb\n"),
        ("a", "a\nb"),
        ("a\nb", "a"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("a\n" * 9, "a\n" * 10),
        ("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\nx\n3\n4\n5\n6\n7\ny\n9\n"),
        ("a\n", "a"),
    ],
)
def test_small_patches(before: str, after: str, tmp_path: Path) -> None:
    changed = patch("docs/a page.rst", before.encode(), after.encode())
    assert applied(tmp_path, "docs/a page.rst", before, changed) == after


def test_no_change_is_no_patch() -> None:
    assert patch("a", b"x\n", b"x\n") == ""


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n"]), max_size=8).map("".join)


@settings(max_examples=scaled(300))
@given(LINES, LINES)
def test_a_patch_holds_both_texts(before: str, after: str) -> None:
    body = patch("p", f"top\n{before}".encode(), f"top\n{after}".encode()).split("\n", 3)
    if before == after:
        return
    lines = body[3].splitlines(keepends=True) if "\r" not in body[3] else body[3].split("\n")
    lines = [line if line.endswith("\n") else line + "\n" for line in lines if line]
    old = "".join(line[1:] for line in lines if line[0] in " -")
    new = "".join(line[1:] for line in lines if line[0] in " +")
    assert old in "top\n" + before
    assert new in "top\n" + after
    _, ranges, *_ = body[2].split("@@")
    # A range of one line says no number.
    first, second = (int(part.partition(",")[2] or 1) for part in ranges.split())
    assert first == old.count("\n")
    assert second == new.count("\n")
