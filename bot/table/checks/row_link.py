"""RLB302: a row names no script."""

from __future__ import annotations

from bot.base.config import SCRIPT_SUFFIXES
from bot.base.messages import mark
from bot.table.checks._support.base import Hits, Meta, PageContext, Skip, hit, message

_NONE = mark("this row links to no script")
_OTHER = mark("this row links to {path}, which is no script")
_HELP = mark("link to the script that the row is about")
_SILENT = mark(
    "line {line}: {script} starts no framework that is known, so its row was not compared."
)

META = Meta(
    id="RLB302",
    severity="warning",
    added_in="0.1.0",
    summary="A row links to no script.",
    why="Without a script a row is a claim that nobody can repeat.",
    instead="Link to the script in the column Link, best at a commit.",
    limits="A table without the column Link is not looked at.",
)


def check(context: PageContext) -> Hits:
    """Look for a script behind each row."""
    for entry in context.entries:
        cell, target = entry.row.cell("link"), entry.target
        if cell is None:
            continue
        if target.state == "none":
            yield hit(cell.span, _NONE, help=message(_HELP))
        elif target.path and not target.path.endswith(SCRIPT_SUFFIXES):
            yield hit(cell.span, _OTHER, path=target.path, help=message(_HELP))
        elif entry.subject and not entry.subject.plans:
            line = context.page.line_of(cell.start)
            yield Skip(reason=message(_SILENT, line=line, script=entry.script))
