"""Texts stand in English in the code; Chinese stands in `bot/locale` and in data files."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHINESE = re.compile("[\N{IDEOGRAPHIC SPACE}-\u9fff\uff00-\uffef]")


def found(source: str) -> list[int]:
    """The lines of the string literals, f-strings and docstrings that hold such a character."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and CHINESE.search(node.value)
    ]


def test_no_literal_of_the_package_holds_chinese() -> None:
    files = sorted((ROOT / "bot").rglob("*.py"))
    assert len(files) > 300
    held = {path.relative_to(ROOT): found(path.read_text("utf-8")) for path in files}
    assert {path: lines for path, lines in held.items() if lines} == {}


@pytest.mark.parametrize(
    "planted",
    [
        'x = "\u6279"', r'x = "\u6279"', r'x = "\N{FULLWIDTH COMMA}"', 'def f():\n    """\u3002"""',
        'x = f"{1}\uff08"', r'x = "\U00003001"',
    ],
)  # fmt: skip
def test_the_test_sees_escapes_too(planted: str) -> None:
    assert found(planted)


def test_marks_of_the_field_are_none() -> None:
    assert not found('x = "√ × → … – \N{GREEK SMALL LETTER MU}"')
