"""The README and the other guides say what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot import __version__
from bot.commands.cli import COMMANDS, parser

ROOT = Path(__file__).resolve().parents[2]
GUIDES = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "examples/tuning/README.md",
]


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_readme_leads_with_the_two_commands() -> None:
    block = re.search(r"```console\n(.*?)```", _text("README.md"), re.DOTALL)
    assert block
    assert [line.split("#")[0].strip() for line in block[1].splitlines()] == [
        "$ make demo",
        "$ make test",
    ]


def test_the_table_names_commands_that_exist() -> None:
    named = re.findall(r"^\| `rlbot ([a-z]+)", _text("README.md"), re.MULTILINE)
    assert named
    assert set(named) <= set(COMMANDS)  # all of them are on the site, made from --help
    assert "{" not in parser().format_help()


@pytest.mark.parametrize("guide", GUIDES)
def test_every_link_to_a_file_leads_somewhere(guide: str) -> None:
    text = _text(guide)
    targets = re.findall(r"\]\(([^)#]+)\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    for target in targets:
        if "://" not in target:
            assert ((ROOT / guide).parent / target).exists(), target


@pytest.mark.parametrize("guide", GUIDES)
def test_every_make_target_that_is_named_exists(guide: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", _text("Makefile"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z]+)`", _text(guide))) <= targets


def test_the_scripts_named_in_their_guide_are_there() -> None:
    folder = ROOT / "examples/tuning"
    named = re.findall(r"^\| `([^`]+\.sh)`", _text("examples/tuning/README.md"), re.MULTILINE)
    assert sorted(named) == sorted(str(p.relative_to(folder)) for p in folder.rglob("*.sh"))


def test_the_changelog_knows_this_version() -> None:
    headings = re.findall(r"^## \[([^\]]+)\]", _text("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert __version__ == "0.1.0" or __version__ in headings[1:]
