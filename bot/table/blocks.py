"""Reads the two forms of a tuning table: `list-table`, and a simple table under `table`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.regex import regex
from bot.table.columns import Column, columns_of, language_of
from bot.table.lines import PageLine, column_at, display_columns
from bot.table.parts import Cell, PageRow, Table

# Only at the left margin: an indented directive is quoted, commented or inside another one.
_DIRECTIVE = regex(
    r"\.\.[ \t]+(list-table|table)::(?:[ \t]+([^ \t](?:.*[^ \t])?))?[ \t]*\Z", re.IGNORECASE
)
_OPTION = regex(r"[ \t]+(:[A-Za-z][\w-]*:(?:.*[^ \t])?)[ \t]*\Z")
_BULLET = r"[-+*\u2022\u2023\u2043]"
_CONTENT = r"(?:[ \t]+([^ \t](?:.*[^ \t])?))?[ \t]*\Z"
_ROW = regex(rf"([ \t]*{_BULLET}[ \t]+)({_BULLET}){_CONTENT}")
_CELL = regex(rf"([ \t]*)({_BULLET}){_CONTENT}")
_BORDER = regex(r"=+(?: +=+)+\Z")


@dataclass(slots=True)
class _CellDraft:
    """A cell while it is read."""

    start: int
    end: int
    lead: str


@dataclass(slots=True)
class _DraftRow:
    start: int
    end: int
    cell_column: int
    """Column of the bullets of the row's cells."""
    cells: list[_CellDraft]


def read_table(text: str, lines: Sequence[PageLine], at: int) -> tuple[Table | None, int] | None:
    """Read the directive that starts at line `at`.

    Returns the table (None when it is another table than the tuning one) and the index of the line
    after it; None when no table directive starts there.
    """
    directive = _DIRECTIVE.match(lines[at].text)
    if not directive:
        return None
    after = at + 1
    last = at
    while after < len(lines) and (lines[after].blank or lines[after].indent > 0):
        if not lines[after].blank:
            last = after
        after += 1
    options: list[str] = []
    body = at + 1
    while body <= last and (option := _OPTION.match(lines[body].text)):
        options.append(option[1])
        body += 1
    content = [line for line in lines[body : last + 1] if not line.blank]
    read = _read_list if directive[1].lower() == "list-table" else _read_grid
    found = read(text, content, lines)
    if found is None:
        return None, last + 1
    header, rows, columns, problem = found
    table = Table(
        form="list" if read is _read_list else "grid",
        start=lines[at].start,
        end=lines[last].end,
        columns=columns,
        language=language_of([cell.text for cell in header.cells]),
        header=header,
        rows=tuple(rows),
        title=directive[2] or "",
        options=tuple(options),
        problem=problem,
    )
    return table, last + 1


_Found = tuple[PageRow, list[PageRow], tuple[Column | None, ...], str | None]


def _read_list(text: str, content: Sequence[PageLine], lines: Sequence[PageLine]) -> _Found | None:
    """A two-level bullet list: a bullet for each row, in it one for each cell."""
    drafts: list[_DraftRow] = []
    problem: str | None = None
    margin = content[0].indent if content else 0
    for line in content:
        row = _ROW.match(line.text) if line.indent == margin else None
        inner = _CELL.match(line.text)
        if row:
            column = column_at(line.text, row.start(2))
            drafts.append(_DraftRow(line.start, line.end, column, [_place(line, row)]))
        elif drafts and inner and line.indent == drafts[-1].cell_column:
            drafts[-1].cells.append(_place(line, inner))
        elif drafts and line.indent > drafts[-1].cell_column:
            cell = drafts[-1].cells[-1]
            if cell.start == cell.end:
                cell.start = line.start + len(line.text) - len(line.text.lstrip())
            cell.end = line.start + len(line.text.rstrip())
        else:
            stray = message("line {line} is no row and no cell", line=_number(lines, line))
            problem = problem or stray
            continue
        drafts[-1].end = line.end
    if not drafts:
        return None
    columns = columns_of([text[c.start : c.end] for c in drafts[0].cells])
    if columns is None:
        return None
    odd = next((draft for draft in drafts if len(draft.cells) != len(columns)), None)
    if odd and not problem:
        problem = message(
            "the row of line {line} has {count} cells, the header {columns}",
            line=_number(lines, odd),
            count=len(odd.cells),
            columns=len(columns),
        )
    header, *rows = (
        replace(
            _row(text, d, columns, [(c.start, c.end) for c in d.cells]),
            leads=tuple(c.lead for c in d.cells),
        )
        for d in drafts
    )
    return header, rows, columns, problem


def _place(line: PageLine, match: re.Match[str]) -> _CellDraft:
    """Where a cell's content stands; an empty one stands after its bullet."""
    if match[3]:
        start, end = match.span(3)
        return _CellDraft(line.start + start, line.start + end, line.text[:start])
    after = line.start + match.end(2)
    return _CellDraft(after, after, line.text[: match.end(2)] + " ")


def _read_grid(text: str, content: Sequence[PageLine], lines: Sequence[PageLine]) -> _Found | None:
    """A simple table: columns between borders of `=`, the header between the first two."""
    borders = [i for i, line in enumerate(content) if _BORDER.match(line.text.strip())]
    if len(borders) != 3 or borders[0] != 0 or borders[1] < 2:
        return None
    starts = [m.start() for m in re.finditer("=+", content[0].text)]
    headers = _slices(content[1], starts)
    columns = columns_of([text[a:b] for a, b in headers])
    if columns is None:
        # Translated headers are seldom as wide as the borders: read them as words.
        line = content[1]
        headers = [
            (line.start + m.start(), line.start + m.end()) for m in re.finditer(r"\S+", line.text)
        ]
        columns = columns_of([text[a:b] for a, b in headers])
    if columns is None:
        return None
    problem = None
    if borders[1] != 2:
        problem = message(
            "the header of line {line} has more than one line", line=_number(lines, content[1])
        )
    if borders[2] != len(content) - 1:
        below = _number(lines, content[borders[2] + 1])
        problem = message("line {line} stands below the table's end", line=below)
    header = _row(text, content[1], columns, headers)
    rows: list[PageRow] = []
    for line in content[borders[1] + 1 : borders[2]]:
        row = _row(text, line, columns, _slices(line, starts))
        rows.append(row)
        if row.empty:
            continue
        if len(starts) != len(columns) or not _fits(line, starts):
            problem = message(
                "line {line} does not keep to the table's columns", line=_number(lines, line)
            )
        elif not row.cells[0].source:
            problem = message("line {line} goes on from the row above", line=_number(lines, line))
    return header, rows, columns, problem


def _slices(line: PageLine, starts: Sequence[int]) -> list[tuple[int, int]]:
    """The stretches of text that stand in each column, as offsets in the page."""
    columns = display_columns(line.text)
    found: list[tuple[int, int]] = []
    for i, start in enumerate(starts):
        end = starts[i + 1] if i + 1 < len(starts) else len(line.text) * 2 + 1
        inside = [j for j, at in enumerate(columns) if start <= at < end]
        inked = [j for j in inside if not line.text[j].isspace()]
        if inked:
            found.append((line.start + inked[0], line.start + inked[-1] + 1))
        else:
            at = line.start + (inside[0] if inside else len(line.text))
            found.append((at, at))
    return found


def _fits(line: PageLine, starts: Sequence[int]) -> bool:
    """True when every margin between two columns is blank."""
    columns = display_columns(line.text)
    margins = {start - 1 for start in starts[1:]}
    return all(line.text[j].isspace() for j, at in enumerate(columns) if at in margins)


def _row(
    text: str,
    read: PageLine | _DraftRow,
    columns: Sequence[Column | None],
    places: Sequence[tuple[int, int]],
) -> PageRow:
    cells = [
        Cell(columns[i] if i < len(columns) else None, text[a:b], a, b)
        for i, (a, b) in enumerate(places)
    ]
    return PageRow(tuple(cells), read.start, read.end)


def _number(lines: Sequence[PageLine], item: PageLine | _DraftRow) -> int:
    """The number, from 1, of the line that starts where `item` does."""
    return next(n for n, line in enumerate(lines, 1) if line.start == item.start)
