"""RLB300: a table of the page cannot be read."""

from __future__ import annotations

from bot.base.messages import mark
from bot.shell.source import Span
from bot.table.checks._support.base import Hits, Meta, PageContext, hit, message

_BROKEN = mark("this table cannot be read: {problem}")
_HELP = mark("mend the table; its rows are not checked until then")

META = Meta(
    id="RLB300",
    severity="error",
    added_in="0.1.0",
    summary="A table of the page cannot be read.",
    why=(
        "The documentation is built with warnings as errors, and a row that cannot be read can "
        "neither be checked nor replaced."
    ),
    instead="Give every row as many cells as the header, and keep to the table's columns.",
    limits="Only tables with the columns of the tuning table are looked at.",
)


def check(context: PageContext) -> Hits:
    """Report what the reader of the page stumbled over."""
    for section in context.page.sections:
        table = section.table
        if table and table.problem:
            yield hit(
                Span(table.header.start, table.header.start),
                _BROKEN,
                problem=table.problem,
                help=message(_HELP),
            )
