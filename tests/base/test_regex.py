"""A pattern that is compiled when it is first used is the pattern in all that a caller sees."""

from __future__ import annotations

import ast
import re

import pytest

from bot.base.regex import regex
from tests.parsed import modules, nodes


def test_it_does_what_the_compiled_one_does() -> None:
    ours, theirs = regex(r"(?P<a>\d)(x?)", re.I), re.compile(r"(?P<a>\d)(x?)", re.I)
    assert "match" not in vars(ours)
    text = "1X 2 3x"
    for name in ("match", "search", "fullmatch"):
        one, other = (getattr(pattern, name)(text) for pattern in (ours, theirs))
        assert (one and one.groups()) == (other and other.groups())
    assert ours.findall(text) == theirs.findall(text)
    assert [m.span() for m in ours.finditer(text)] == [m.span() for m in theirs.finditer(text)]
    assert ours.sub(r"\2", text) == theirs.sub(r"\2", text)
    assert ours.subn("", text) == theirs.subn("", text)
    assert ours.split(text) == theirs.split(text)
    assert (ours.pattern, ours.flags, ours.groups) == (theirs.pattern, theirs.flags, theirs.groups)
    assert "match" in vars(ours)  # the next call goes to the compiled one's


def test_a_pattern_that_is_none_is_told_at_its_first_use() -> None:
    pattern = regex("(")
    with pytest.raises(re.error):
        pattern.match("")
    with pytest.raises(AttributeError):
        pattern.matches  # type: ignore[attr-defined]  # noqa: B018


def _eager(tree: ast.Module) -> list[int]:
    """The lines that compile a pattern while their module is imported."""
    found = [
        node
        for node in nodes(tree, ast.Attribute)
        if (getattr(node.value, "id", ""), node.attr) == ("re", "compile")
    ]
    later = {
        below
        for node in nodes(tree, ast.FunctionDef, ast.Lambda)
        if found
        for below in ast.walk(node)
    }
    return [node.lineno for node in found if node not in later]


def test_no_module_compiles_a_pattern_while_it_is_imported() -> None:
    held = {path: _eager(tree) for path, tree in modules().items() if path.name != "regex.py"}
    assert {path: lines for path, lines in held.items() if lines} == {}


@pytest.mark.parametrize("code", ["A = re.compile('a')", "A = {1: [re.compile('a')]}"])
def test_the_test_sees_each(code: str) -> None:
    assert _eager(ast.parse(code))
