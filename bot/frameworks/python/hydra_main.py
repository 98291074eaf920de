"""The decorator of a main function that Hydra configures, read off a syntax tree."""

from __future__ import annotations

import ast
import re
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.frameworks.python.source import parsed, written

_DEF: Final = regex(r"^def [^\n]*:$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HydraMain:
    """What a `@hydra.main` says."""

    config_path: str
    config_name: str | None


def hydra_main(source: str) -> HydraMain | None:
    """The decorator of the first main function; None without one, or for a computed folder."""
    return _main_of(_head(source)) or _main_of(source)


def _head(source: str) -> str:
    """The decorator of a program's main function and its first line, since the rest is long.

    Empty where they are not found at once, or may stand in a text.
    """
    at = source.find("\n@hydra.main")
    in_text = any(source.count(quotes, 0, max(at, 0)) % 2 for quotes in ('"""', "'''"))
    line = _DEF.search(source, at) if at >= 0 and not in_text else None
    return f"{source[at : line.end()]} pass" if line else ""


def _main_of(source: str) -> HydraMain | None:
    nodes = ast.walk(tree) if (tree := parsed(source)) is not None else ()
    functions = (n for n in nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
    marks = (mark for one in functions for mark in one.decorator_list if is_hydra(mark))
    return next(map(decorated, marks), None)


def is_hydra(mark: ast.expr) -> bool:
    """Whether a decorator is `@hydra.main(…)`."""
    return isinstance(mark, ast.Call) and written(mark.func) == "hydra.main"


def decorated(mark: ast.expr) -> HydraMain | None:
    """What such a decorator says; None for a computed folder."""
    words = mark.keywords if isinstance(mark, ast.Call) else []
    given = {word.arg: word.value for word in words}
    path, name = _text(given.get("config_path")), _text(given.get("config_name"))
    return None if path is None else HydraMain(path, name)


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
