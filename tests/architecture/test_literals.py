"""Texts stand in English in the code; Chinese stands in `bot/locale` and in data files."""

from __future__ import annotations

import ast
import re

import pytest

from tests.parsed import modules, nodes

CHINESE = re.compile("[\N{IDEOGRAPHIC SPACE}-\u9fff\uff00-\uffef]")


def found(tree: ast.Module) -> list[int]:
    """The lines of the string literals, f-strings and docstrings that hold such a character."""
    return [
        node.lineno
        for node in nodes(tree, ast.Constant)
        if isinstance(node.value, str) and CHINESE.search(node.value)
    ]


def test_no_literal_of_the_package_holds_chinese() -> None:
    assert len(modules()) > 300
    held = {path: found(tree) for path, tree in modules().items()}
    assert {path: lines for path, lines in held.items() if lines} == {}


@pytest.mark.parametrize(
    "planted",
    [
        'x = "\u6279"', r'x = "\u6279"', r'x = "\N{FULLWIDTH COMMA}"', 'def f():\n    """\u3002"""',
        'x = f"{1}\uff08"', r'x = "\U00003001"',
    ],
)  # fmt: skip
def test_the_test_sees_escapes_too(planted: str) -> None:
    assert found(ast.parse(planted))


def test_marks_of_the_field_are_none() -> None:
    assert not found(ast.parse('x = "√ × → … – \N{GREEK SMALL LETTER MU}"'))
