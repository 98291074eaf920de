"""Python of a repository, read as a syntax tree and never run."""

from __future__ import annotations

import ast


def parsed(source: str) -> ast.Module | None:
    """The tree of a file; None for what is no Python, or deeper than Python itself reads."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def written(node: ast.expr) -> str:
    """An expression as text; empty for one that is deeper than any that people write."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return ""
