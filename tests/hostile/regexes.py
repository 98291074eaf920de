"""Every regular expression that `bot/` compiles, found in its syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tests.command import ROOT
from tests.parsed import nodes, parsed

_ANYWHERE: Final = frozenset({"search", "sub", "subn", "split", "findall", "finditer"})
_HERE: Final = frozenset({"match", "fullmatch"})
_CALLS: Final = _ANYWHERE | _HERE | {"compile"}
_MAKES: Final = re.compile(r"^(?:\s*import re|from bot\.base\.regex import regex)$", re.MULTILINE)
_LATER: Final = ROOT / "bot" / "base" / "regex.py"
"""Compiles what other modules write."""

_SAMPLES: Final = {
    "name": "verl", "size": "7b", "quotes": "'\"", "stops": "}/",
    "text": "(?P<model>[a-z0-9.-]+)_x",
    "blank": r"\ \t", "blanks": r"[ \t]", "other": ":",
}  # fmt: skip
"""What stands in patterns that a function puts together: plain text, or what is escaped there."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A pattern where it is compiled."""

    file: str
    line: int
    source: str
    """The code of the pattern."""
    pattern: re.Pattern[Any] | None
    """None for one that is made of what only a run knows."""
    searched: bool
    """Whether a match may begin anywhere in the text."""

    @property
    def place(self) -> str:
        """How the exceptions name it: file and pattern."""
        text = self.source if self.pattern is None else self.pattern.pattern
        return f"{self.file}: {text.decode('latin-1') if isinstance(text, bytes) else text}"


def expressions() -> Iterator[Expression]:
    """All of them."""
    for path in sorted((ROOT / "bot").rglob("*.py")):
        text = path.read_text("utf-8")
        if path == _LATER or not _MAKES.search(text):
            continue
        tree = parsed(text)
        names = {
            id(node.value): target.id
            for node in nodes(tree, ast.Assign, ast.AnnAssign)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }
        name = str(path.relative_to(ROOT).with_suffix("")).replace("/", ".")
        for node in nodes(tree, ast.Call):
            method = _method(node)
            if method is not None:
                used = _used(path, names.get(id(node))) if method == "compile" else {method}
                yield Expression(
                    file=str(path.relative_to(ROOT)),
                    line=node.lineno,
                    source=ast.unparse(node.args[0]),
                    pattern=_pattern(node, method, name.removesuffix(".__init__")),
                    searched=not used or bool(used & _ANYWHERE),
                )


def _method(node: ast.Call) -> str | None:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=method)):
            return method if method in _CALLS else None
        case ast.Call(func=ast.Name(id="regex")):
            return "compile"
    return None


def _pattern(node: ast.Call, method: str, module: str) -> re.Pattern[Any] | None:
    """The pattern of a call, its names looked up in the module."""
    at = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(method, 2)
    flags = node.args[at : at + 1] + [word.value for word in node.keywords if word.arg == "flags"]
    code = ast.Call(ast.Attribute(ast.Name("re", ast.Load()), "compile", ast.Load()),
                    [node.args[0], *flags], [])  # fmt: skip
    expression = ast.fix_missing_locations(ast.Expression(code))
    scope = {**_SAMPLES, **vars(import_module(module)), "re": re}
    try:
        found = eval(compile(expression, module, "eval"), scope)  # noqa: S307 - our own code
    except NameError:
        return None
    return found if isinstance(found, re.Pattern) else None


@cache
def _calls(path: Path) -> dict[str, set[str]]:
    """Name to the methods that are called on it in a file."""
    found: dict[str, set[str]] = {}
    for node in nodes(parsed(path.read_text("utf-8")), ast.Attribute):
        if isinstance(node.value, ast.Name):
            found.setdefault(node.value.id, set()).add(node.attr)
    return found


def _used(path: Path, name: str | None) -> set[str]:
    """The methods that match with a name's pattern; none when they are not known."""
    if name is None:
        return set()
    # A name that others may import can be used anywhere.
    files = [path] if name.startswith("_") else sorted((ROOT / "bot").rglob("*.py"))
    used = set().union(*(_calls(file).get(name, set()) for file in files))
    return used & (_ANYWHERE | _HERE)
