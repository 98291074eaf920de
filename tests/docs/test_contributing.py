"""CONTRIBUTING.md: its example becomes a rule with nothing else to do, and its tables are right."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from bot.rules._support.base import RuleContext
from bot.rules._support.groups import GROUPS, RuleGroup, group_of
from bot.rules._support.registry import RULES
from tests.command import ROOT
from tools.next_rule_id import next_id

GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RULE = "bot/rules/too_many_nodes.py"
TEST = "tests/rules/test_too_many_nodes.py"
COPIED = ("bot", "docs", "schemas", "tests", "tools", "pyproject.toml", "CHANGELOG.md")


def _files() -> dict[str, str]:
    """The blocks below a comment that names a file, by its path."""
    found, above = {}, ""
    for token in MarkdownIt("commonmark").parse(GUIDE):
        path = re.fullmatch(r"<!-- (\S+\.py) -->", above)
        if token.type == "fence" and path:
            found[path[1]] = token.content
        above = token.content.strip()
    return found


def _python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree with the two files of the guide, and nothing else changed by hand."""
    folder = tmp_path_factory.mktemp("copy")
    # Another process may be compiling: what it has not renamed yet will not stay.
    ignored = shutil.ignore_patterns("node_modules", "*.pyc.*")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder)
    files = _files()
    assert set(files) == {RULE, TEST}
    for path, text in files.items():
        (folder / path).write_text(text, encoding="utf-8")
    made = _python(folder, "-m", "tools.rule_pages")
    assert made.returncode == 0, made.stderr
    return folder


@pytest.mark.process
def test_the_example_is_a_rule_with_its_test_and_its_pages(copy: Path) -> None:
    done = _python(
        copy, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider",
        "tests/rules/test_catalogue.py", TEST,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    pages = [copy / "docs" / folder / "too-many-nodes.md" for folder in ("rules", "zh/rules")]
    assert all("RLB999" in page.read_text(encoding="utf-8") for page in pages)


@pytest.mark.process
def test_the_example_is_formatted_and_typed(copy: Path) -> None:
    tools = Path(sys.executable).parent
    for command in (
        [str(tools / "ruff"), "format", "--check", RULE, TEST],
        [str(tools / "ruff"), "check", RULE, TEST],
        [str(tools / "mypy"), "--strict", RULE],
    ):
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.process
def test_the_example_is_found_by_the_command_line(copy: Path) -> None:
    done = _python(copy, "-m", "bot", "rule", "too-many-nodes")
    assert done.returncode == 0, done.stderr
    assert "more nodes than scripts of the page" in done.stdout


def _first_column(heading: str) -> list[str]:
    section = GUIDE.split(f"\n{heading}\n", 1)[1].split("\n#", 1)[0]
    rows = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`[^`]+`", row)]


def test_the_table_of_the_context_has_each_part() -> None:
    names = [field.name for field in fields(RuleContext)]
    names += [name for name in vars(RuleContext) if name not in names]
    parts = [name for name in names if not name.startswith("_")]
    named = [name.strip("`").partition("(")[0] for name in _first_column("### What a rule sees")]
    assert named == parts


def test_the_table_of_helpers_has_each_module() -> None:
    modules = {path.stem for path in (ROOT / "bot/rules/_support").glob("*.py")} - {"__init__"}
    assert {name.strip("`") for name in _first_column("### Helpers")} == modules


def test_the_table_of_packages_is_in_the_order_of_imports() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    layers = re.findall(r'"(\w+)"', text.split("layers = [", 1)[1].split("]", 1)[0])
    named = [name.strip("`").removeprefix("bot/") for name in _first_column("## The packages")]
    assert named == [*layers, "locale", "tools"]


def test_every_rule_belongs_to_a_group() -> None:
    numbers = {number for group in GROUPS.values() for span in group.numbers for number in span}
    assert {group_of(rule.meta.id) for rule in RULES.rules} == set(GROUPS)
    assert sum(len(span) for group in GROUPS.values() for span in group.numbers) == len(numbers)


@pytest.mark.parametrize("group", GROUPS)
def test_each_group_has_room_for_another_rule(group: str) -> None:
    """CONTRIBUTING's first step is to take its next id."""
    assert group_of(next_id(GROUPS[group], [rule.meta.id for rule in RULES.rules])) == group


def test_the_next_id_is_after_the_last_one() -> None:
    group = RuleGroup("something", (range(40, 43), range(120, 122)))
    assert next_id(group, []) == "RLB040"
    assert next_id(group, ["RLB041", "RLB120"]) == "RLB042"  # RLB040 may have been given up
    assert next_id(group, ["RLB042"]) == "RLB120"
    with pytest.raises(ValueError, match="used"):
        next_id(group, ["RLB042", "RLB121"])
