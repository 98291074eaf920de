"""Python of a repository, read as a syntax tree and never run."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from bot.base.adapters import PARSING
from bot.base.regex import regex
from bot.frameworks.python.fstrings import plain

INSTALLED: Final = frozenset(
    (
        "accelerate",
        "datasets",
        "omegaconf",
        "peft",
        "torch",
        "transformers",
        "trl",
        "yaml",
    )
)
"""Packages that are installed, also where a repository has a folder of that name."""

_BITS: Final = 14_000
"""Of a number that Python writes out in base 10."""
_LONG_NUMBER: Final = regex(r"0[xXoObB][0-9A-Fa-f_]{3500}")


_OLD: Final = sys.version_info < (3, 12)
"""Whether programs may have f-strings that this Python does not read."""
_RENEW: Final = ("setup_chat_format", "clone_chat_template")


class UnfollowedError(LookupError):
    """What only running the program tells."""


def tree_of(source: str) -> ast.Module:
    """The tree of a file; raises SyntaxError, ValueError, RecursionError or MemoryError.

    What Python would say of it on the way (an odd escape, `1is 1`) is for its author alone.
    """
    with PARSING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except SyntaxError:
            if not _OLD or (older := plain(source)) == source:
                raise
            tree = ast.parse(older)
    if _LONG_NUMBER.search(source):
        numbers = (one.value for one in ast.walk(tree) if isinstance(one, ast.Constant))
        if any(isinstance(one, int) and one.bit_length() > _BITS for one in numbers):
            raise ValueError  # As Python refuses one in base 10.
    return tree


def parsed(source: str) -> ast.Module | None:
    """The tree of a file; None for what is no Python, or deeper than Python itself reads."""
    try:
        return tree_of(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=4)
def nodes(tree: ast.AST) -> Sequence[ast.AST]:
    """All that stands in a module, the outer ones first; it is asked for again and again."""
    return [*ast.walk(tree)]


def written(node: ast.expr) -> str:
    """An expression as text; empty for one that is deeper than any that people write."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return ""


def renewed(node: ast.expr) -> ast.expr | None:
    """The model that a function of TRL's gives back, with a few tokens more; None for any other."""
    named = isinstance(node, ast.Call) and written(node.func).rpartition(".")[2]
    return node.args[0] if named in _RENEW and isinstance(node, ast.Call) and node.args else None


@lru_cache(maxsize=2)
def imports(tree: ast.Module) -> tuple[ast.ImportFrom, ...]:
    """Each `from … import`; of the modules of now, since each name of theirs is asked about."""
    return tuple(node for node in nodes(tree) if isinstance(node, ast.ImportFrom))


_Origins: TypeAlias = "Sequence[tuple[ast.ImportFrom, str]]"


@lru_cache(maxsize=64)
def origins(tree: ast.Module) -> tuple[Mapping[str, _Origins], _Origins]:
    """Of each name the imports that give it and its name there, and the imports of all names."""
    named: dict[str, list[tuple[ast.ImportFrom, str]]] = {}
    stars = list[tuple[ast.ImportFrom, str]]()
    for one in imports(tree):
        for alias in one.names:
            if alias.name == "*":
                stars.append((one, "*"))
            else:
                named.setdefault(alias.asname or alias.name, []).append((one, alias.name))
    return named, stars


@lru_cache(maxsize=64)
def modules_imported(tree: ast.Module) -> Mapping[str, tuple[int, str]]:
    """The names that may be modules: each with the level and the dotted name of its import."""
    found: dict[str, tuple[int, str]] = {}
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            whole = (alias for alias in node.names if alias.asname or "." not in alias.name)
            found |= {alias.asname or alias.name: (0, alias.name) for alias in whole}
        elif isinstance(node, ast.ImportFrom):
            package = f"{node.module}." if node.module else ""
            found |= {
                alias.asname or alias.name: (node.level, f"{package}{alias.name}")
                for alias in node.names
            }
    return found


@lru_cache(maxsize=64)
def calls(tree: ast.AST) -> Sequence[tuple[ast.Call, str]]:
    """Each call, with the last part of what is called: `parse_args` of `parser.parse_args()`."""
    made = (node for node in nodes(tree) if isinstance(node, ast.Call))
    return [(node, written(node.func).rpartition(".")[2]) for node in made]


def makes(tree: ast.Module, name: str, package: str) -> bool:
    """Whether a program makes an object of a class that it imports from a package alone."""
    given = origins(tree)[0].get(name, ())
    packages = {"" if one.level else (one.module or "").partition(".")[0] for one, _ in given}
    return packages == {package} and any(made == name for _, made in calls(tree))


def reads_argparse(source: str) -> bool:
    """Whether a program makes an `ArgumentParser` and has no `@hydra.main`, but in a text."""
    if "ArgumentParser(" not in source or "__main__" not in source:
        return False
    tree = parsed(source)
    nodes = [*ast.walk(tree)] if tree is not None else []
    parts = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return "ArgumentParser" in parts | names and "main" not in parts


def field_names(source: str) -> Iterator[str]:
    """The annotated fields of all classes of a file, which a recipe may set.

    Read as a syntax tree that is never run; nothing for a file that is no Python.
    """
    for node in nodes(tree) if (tree := parsed(source)) is not None else ():
        if isinstance(node, ast.ClassDef):
            for one in node.body:
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                    yield one.target.id
