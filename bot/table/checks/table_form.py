"""RLB300: a table of the page cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import message
from bot.table.checks._support.base import Chinese, Hit, Meta, PageContext

_BROKEN = "this table cannot be read: {problem}"
_HELP = "mend the table; its rows are not checked until then"

META = Meta(
    id="RLB300",
    slug="table-form",
    severity="error",
    added_in="0.1.0",
    summary="A table of the page cannot be read.",
    why=(
        "The documentation is built with warnings as errors, and a row that cannot be read can "
        "neither be checked nor replaced."
    ),
    instead="Give every row as many cells as the header, and keep to the table's columns.",
    limits="Only tables with the columns of the tuning table are looked at.",
    zh=Chinese(
        summary="页面中的一张表格无法读取。",
        why="文档构建把警告当作错误；读不出的行既无法核对，也无法替换。",
        instead="每一行的单元格数应与表头相同，并与表格的列对齐。",
        limits="只检查具有调优表列名的表格。",
        sentences={
            _BROKEN: "这张表格无法读取：{problem}",
            _HELP: "请修好表格；在此之前其各行不会被核对",
        },
    ),
)


def check(context: PageContext) -> Iterator[Hit]:
    """Report what the reader of the page stumbled over."""
    for section in context.page.sections:
        table = section.table
        if table and table.problem:
            yield Hit(
                message=message(_BROKEN, problem=table.problem),
                start=table.header.start,
                end=table.header.start,
                help=message(_HELP),
            )
