"""The modules of the package as syntax trees: several tests look at them all."""

from __future__ import annotations

import ast
import gc
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, overload

from tests.command import ROOT

A = TypeVar("A", bound=ast.AST)
B = TypeVar("B", bound=ast.AST)

parsed = cache(ast.parse)


@overload
def nodes(tree: ast.AST, kind: type[A], /) -> list[A]: ...
@overload
def nodes(tree: ast.AST, kind: type[A], other: type[B], /) -> list[A | B]: ...
@overload
def nodes(tree: ast.AST, *kinds: type[ast.AST]) -> list[ast.AST]: ...
def nodes(tree: ast.AST, *kinds: type[ast.AST]) -> list[Any]:
    """The nodes of these kinds, those of one kind in a row: each tree is walked once, for all."""
    index = _by_kind(tree)
    return [node for kind in index if issubclass(kind, kinds) for node in index[kind]]


@cache
def _by_kind(tree: ast.AST) -> Mapping[type[ast.AST], list[ast.AST]]:
    found, left = defaultdict[type[ast.AST], list[ast.AST]](list), [tree]
    while left:
        node = left.pop()
        found[type(node)].append(node)
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                left.append(value)
            elif isinstance(value, list):
                left += [one for one in value if isinstance(one, ast.AST)]
    return found


@cache
def modules() -> dict[Path, ast.Module]:
    """Path from the root of the repository to the tree of each module."""
    trees = {
        path.relative_to(ROOT): parsed(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "bot").rglob("*.py"))
    }
    gc.freeze()  # Else each search for cycles walks these hundreds of thousands of nodes.
    return trees
