"""Which sentences a module says, and which of a text are English; for the tests of catalogues."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from string import Formatter

ROOT = Path(__file__).resolve().parents[1]

_ENGLISH = re.compile(
    r"\b(the|is|are|was|were|not|could|has|have|no|with|of|and|for|again|it|by|this|that)\b", re.I
)
_QUOTED = re.compile(
    r"```.*?^```|`[^`\n]*`|<!--.*?-->|\]\(\S*\)|https?://\S*|<[^<>]*>", re.S | re.M
)


def english(text: str) -> list[str]:
    """The lines of a text, in Markdown or not, that hold English words outside of quotations."""
    return [line for line in _QUOTED.sub("", text).splitlines() if _ENGLISH.search(line)]


def templates(file: Path) -> Iterator[str]:
    """The templates of every `say` in a module of ours.

    A constant's name stands for its text, a table that is looked up for all of its texts.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "message"
        ):
            yield from _texts(file, node.args[0])


def _texts(file: Path, given: ast.expr) -> Iterator[str]:
    if isinstance(given, ast.Constant):
        yield str(given.value)
        return
    named = given.value if isinstance(given, ast.Subscript) else given
    assert isinstance(named, ast.Name), ast.unparse(given)
    parts = file.relative_to(ROOT).with_suffix("").parts
    module = import_module(".".join(part for part in parts if part != "__init__"))
    value = getattr(module, named.id)
    yield from value.values() if isinstance(value, Mapping) else (str(value),)


def names(template: str) -> set[str]:
    """The values that a template names."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}
