"""`rlbot verify --report FILE`: the page of a run, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.command import rlbot
from tests.commands.test_cli import NAME, RECIPE, SCRIPT
from tests.conftest import WrittenRun
from tests.render.test_html import outline

PATH = f"examples/tuning/7b/{NAME}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    script = tmp_path / PATH
    script.parent.mkdir(parents=True)
    script.write_text(SCRIPT, encoding="utf-8")
    return tmp_path


def test_the_page_has_the_comment_and_the_charts(folder: Path, written: WrittenRun) -> None:
    (folder / "out.html").write_text("what was there", encoding="utf-8")
    (folder / "out.html").chmod(0o640)
    plain = rlbot("verify", PATH, "--run", written(RECIPE), cwd=folder)
    result = rlbot("verify", PATH, "--run", written(RECIPE), "--report=out.html", cwd=folder)
    assert (result.status, result.out, result.err) == (plain.status, plain.out, plain.err)
    html = (folder / "out.html").read_text(encoding="utf-8")
    assert "<strong>Memory in use on each GPU</strong>. The peak is " in html
    assert "<strong>Lengths</strong>" in html
    assert "<summary>" in html
    read = outline(html)
    assert read.open == []
    assert not {"script", "img", "link", "iframe", "object"} & read.tags
    assert (folder / "out.html").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in folder.iterdir()) == ["examples", "out.html"]


def test_a_name_in_svg_gets_the_first_chart(folder: Path, written: WrittenRun) -> None:
    rlbot("verify", PATH, "--run", written(RECIPE), "--report", "out.svg", cwd=folder)
    root = ElementTree.fromstring((folder / "out.svg").read_text(encoding="utf-8"))  # noqa: S314
    assert root[1].text == "Memory in use on each GPU"


def test_without_a_run_the_page_says_why(folder: Path) -> None:
    result = rlbot("verify", PATH, "--offline", "--report", "out.html", cwd=folder)
    assert result.status == 3
    html = (folder / "out.html").read_text(encoding="utf-8")
    assert "nothing is to be fetched" in html
    assert "Memory in use" not in html


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("examples", ".html or .svg, not examples."),
        ("page.html", "page.html is a folder; name a file in it for --report."),
        ("no/page.svg", "The folder no of --report does not exist; make it first."),
        ("/dev/full", ".html or .svg, not /dev/full."),
    ],
)
def test_a_place_where_no_page_can_be(folder: Path, name: str, sentence: str) -> None:
    (folder / "page.html").mkdir()
    result = rlbot("verify", PATH, "--run", "nothing", "--report", name, cwd=folder)
    assert (result.status, result.out) == (2, "")
    assert sentence in result.err
