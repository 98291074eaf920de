"""Proves an edit: docutils must read the old tables and the row, and report nothing new."""

from __future__ import annotations

from collections.abc import Sequence

from bot.base.fast_dataclass import dataclass
from bot.table.judge import Judgement, Shown, ShownRow, ShownTable


@dataclass(frozen=True, slots=True)
class Expected:
    """How the one table that differs must differ."""

    row: tuple[Shown | None, ...]
    """What the row shows; None for a cell that stays as it was."""
    index: int
    """Its place among the rows that say something, from 0."""
    replaces: bool
    """True when it stands for the row that had this place."""


def fault(before: Judgement, after: Judgement, expected: Expected) -> str | None:
    """What is wrong with an edited page, in words; None when the edit did what it should."""
    worse = after.warnings() - before.warnings()
    if worse:
        message = next(iter(worse))[1]
        return f'docutils would report "{message}"'
    if not _differs_by(before.tables, after.tables, expected):
        return "docutils does not read the tables as before with the row added"
    return None


def _differs_by(
    before: Sequence[ShownTable], after: Sequence[ShownTable], expected: Expected
) -> bool:
    while before and after and before[0] == after[0]:
        before, after = before[1:], after[1:]
    while before and after and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
    if len(after) != 1 or len(before) > 1:
        return False
    new = _body(after[0])
    # A broken or missing table had no rows that docutils could read.
    old = _body(before[0]) if before else []
    if expected.index >= len(new) or not _fits(new.pop(expected.index), expected.row):
        return False
    if expected.replaces:
        if expected.index >= len(old):
            return False
        old.pop(expected.index)
    # A grid that became a list-table has a column more, which is empty in its old rows.
    return [_filled(row) for row in new] == [_filled(row) for row in old]


def _body(table: ShownTable) -> list[ShownRow]:
    """The rows below the header that say something."""
    return [row for row in table[1:] if _filled(row)]


def _filled(row: ShownRow) -> tuple[Shown, ...]:
    return tuple(cell for cell in row if cell.text)


def _fits(row: ShownRow, wanted: Sequence[Shown | None]) -> bool:
    return len(row) == len(wanted) and all(
        want is None or want == cell for cell, want in zip(row, wanted, strict=True)
    )
