"""Comparing a cell with what the launches of its script say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from bot.base.fast_dataclass import dataclass
from bot.base.messages import mark
from bot.frameworks.plan import Plan
from bot.table import rst
from bot.table.checks._support.base import (
    Hits,
    PageContext,
    ScriptEntry,
    Skip,
    hit,
    message,
    rewrite,
)
from bot.table.columns import Column
from bot.table.parts import Cell

T = TypeVar("T")

USE = mark("write {used}")
UNKNOWN = mark(
    "line {line}: the settings of {script} do not give {what}, so the cell was not compared."
)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A cell that no launch of its script agrees with."""

    entry: ScriptEntry
    cell: Cell
    used: str
    """What the first launch says, as the page would write it."""


def contradictions(
    context: PageContext,
    column: Column,
    value: Callable[[Plan], T | None],
    agrees: Callable[[str, T], bool],
    what: str,
) -> Iterator[Contradiction | Skip]:
    """The cells of a column that no launch agrees with, where every launch is known.

    One launch that agrees is enough: a script may start several, and its row is about one.
    """
    for entry, cell, subject in context.compared(column):
        values = [value(plan) for plan in subject.plans]
        known = [one for one in values if one is not None]
        if any(agrees(cell.text, one) for one in known):
            continue
        if len(known) < len(values):
            yield Skip(
                reason=message(
                    UNKNOWN,
                    line=context.page.line_of(cell.start),
                    script=entry.script,
                    what=message(what),
                )
            )
        else:
            yield Contradiction(entry, cell, str(known[0]))


def corrected(found: Iterator[Contradiction | Skip], wrong: str, doubtful: str = "") -> Hits:
    """A hit for each contradiction, whose fix writes what the script says into the cell.

    `wrong` is the template of the message, with {cell}, {script} and {used}. `doubtful` is that of
    the help, with {used}, where the script may be what is wrong: the fix is no safe one.
    """
    for one in found:
        if isinstance(one, Skip):
            yield one
            continue
        yield hit(
            one.cell.span,
            wrong,
            cell=one.cell.text,
            script=one.entry.script,
            used=one.used,
            help=message(doubtful or USE, used=one.used),
            fix_title=message(USE, used=one.used),
            edits=rewrite(one.cell, rst.cell(one.used)),
            fix_safe=not doubtful,
        )
