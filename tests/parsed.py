"""The modules of the package as syntax trees: several tests look at them all."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.command import ROOT

parsed = cache(ast.parse)


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """What `ast.walk` gives, in another order: each tree is walked once, for all tests."""
    found, left = [], [tree]
    while left:
        node = left.pop()
        found.append(node)
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                left.append(value)
            elif isinstance(value, list):
                left += [one for one in value if isinstance(one, ast.AST)]
    return tuple(found)


@cache
def modules() -> dict[Path, ast.Module]:
    """Path from the root of the repository to the tree of each module."""
    return {
        path.relative_to(ROOT): parsed(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "bot").rglob("*.py"))
    }
