"""Texts become numbers by `bot.base.digits`, which knows what `int` refuses."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("isdigit", "isdecimal", "isnumeric")


def found(source: str) -> list[int]:
    """The lines that ask a text whether it is digits: ² is, and `int` refuses it."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and node.attr in NAMES
    ]


def test_no_text_is_asked_for_digits_elsewhere() -> None:
    files = {path for path in (ROOT / "bot").rglob("*.py") if path.name != "digits.py"}
    held = {path.relative_to(ROOT): found(path.read_text("utf-8")) for path in files}
    assert {path: lines for path, lines in held.items() if lines} == {}


@pytest.mark.parametrize("code", ["a.isdigit()", "map(str.isdecimal, a)"])
def test_the_test_sees_each(code: str) -> None:
    assert found(code)
