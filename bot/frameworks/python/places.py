"""Where a part of a program stands in its text."""

from __future__ import annotations

import ast

from bot.shell.source import Span


def line_starts(text: str) -> list[tuple[int, str]]:
    """For each line its offset in characters, and its text."""
    found, at = list[tuple[int, str]](), 0
    for line in text.split("\n"):
        found.append((at, line))
        at += len(line) + 1
    return found


def span_of(node: ast.expr | ast.keyword, starts: list[tuple[int, str]]) -> Span:
    """The place of a node, whose columns count bytes of UTF-8."""

    def at(line: int, column: int) -> int:
        start, text = starts[min(line, len(starts)) - 1]
        return start + len(text.encode()[:column].decode("utf-8", "ignore"))

    begin = at(node.lineno, node.col_offset)
    return Span(begin, at(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset))
