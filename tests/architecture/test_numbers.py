"""Texts become numbers by `bot.base.digits`, which knows what `int` refuses."""

from __future__ import annotations

import ast

import pytest

from tests.parsed import modules, nodes

NAMES = ("isdigit", "isdecimal", "isnumeric")


def found(tree: ast.Module) -> list[int]:
    """The lines that ask a text whether it is digits: ² is, and `int` refuses it."""
    return [node.lineno for node in nodes(tree, ast.Attribute) if node.attr in NAMES]


def test_no_text_is_asked_for_digits_elsewhere() -> None:
    held = {path: found(tree) for path, tree in modules().items() if path.name != "digits.py"}
    assert {path: lines for path, lines in held.items() if lines} == {}


@pytest.mark.parametrize("code", ["a.isdigit()", "map(str.isdecimal, a)"])
def test_the_test_sees_each(code: str) -> None:
    assert found(ast.parse(code))
