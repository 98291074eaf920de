"""RLB302: a row names no script."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import message
from bot.table.checks._support.base import Chinese, Hit, Meta, PageContext, Skip

_NONE = "this row links to no script"
_OTHER = "this row links to {path}, which is no script"
_HELP = "link to the script that the row is about"
_SILENT = "line {line}: {script} starts no framework that is known, so its row was not compared."

META = Meta(
    id="RLB302",
    slug="row-link",
    severity="warning",
    added_in="0.1.0",
    summary="A row links to no script.",
    why="Without a script a row is a claim that nobody can repeat.",
    instead="Link to the script in the column Link, best at a commit.",
    limits="A table without the column Link is not looked at.",
    zh=Chinese(
        summary="某一行没有链接到脚本。",
        why="没有脚本的行是无法复现的说法。",
        instead="在“链接”列中链接到脚本，最好指向某个提交。",
        limits="没有“链接”列的表格不检查。",
        sentences={
            _NONE: "该行没有链接到脚本",
            _OTHER: "该行链接到 {path}，但它不是脚本",
            _HELP: "链接到该行所依据的脚本",
            _SILENT: "第 {line} 行：{script} 没有启动任何已知框架，因此该行未核对。",
        },
    ),
)


def check(context: PageContext) -> Iterator[Hit | Skip]:
    """Look for a script behind each row."""
    for entry in context.entries:
        cell, target = entry.row.cell("link"), entry.target
        if cell is None:
            continue
        if target.state == "none":
            yield Hit(message=message(_NONE), start=cell.start, end=cell.end, help=message(_HELP))
        elif target.path and not target.path.endswith(".sh"):
            text = message(_OTHER, path=target.path)
            yield Hit(message=text, start=cell.start, end=cell.end, help=message(_HELP))
        elif entry.subject and not entry.subject.plans:
            line = context.page.line_of(cell.start)
            yield Skip(reason=message(_SILENT, line=line, script=entry.script))
