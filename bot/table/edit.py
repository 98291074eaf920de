"""The edit of the page that adds or replaces a row, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.render.patch import patch
from bot.report import PageEdit, Row
from bot.table import place
from bot.table.columns import Column, PageLanguage, size_label
from bot.table.judge import Judgement, Shown, ShownRow, ShownTable, judge, link_name
from bot.table.layout import (
    Content,
    Frame,
    contents,
    frame_of,
    heading,
    own_frame,
    row_lines,
    with_options,
)
from bot.table.lines import split_lines
from bot.table.parts import Page, PageError, PageRow, Section, Table
from bot.table.rst import UNKNOWN_CELL

Action: TypeAlias = Literal["add", "replace", "none"]
Cells: TypeAlias = Mapping[Column, Content]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChange:
    """The page after the edit, and the edit itself."""

    text: str
    """The whole new page."""
    edit: PageEdit
    """Its section is the size where the section's heading is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _EditDraft:
    """A row with its place; only the form of its links is open."""

    section: str
    cells: Cells
    columns: Sequence[Column | None]
    """Of the table that gets the row."""
    leads: Sequence[str]
    newline: str
    write: Callable[[str, Sequence[str]], str]
    """The new page, for the row's lines and its cells' RST."""
    index: int
    """The row's place among the table's rows that say something."""
    replaces: bool = False
    kept: Mapping[Column | None, str] = field(default_factory=dict)
    """Cells of the replaced row that stay."""

    def sources(self, anonymous: frozenset[Column]) -> list[str]:
        """The RST of each cell; columns in `anonymous` get links that make no name."""
        return [
            self.cells[column].source(anonymous=column in anonymous)
            if column is not None and column not in self.kept
            else self.kept.get(column, UNKNOWN_CELL)
            for column in self.columns
        ]

    def written(self, anonymous: frozenset[Column]) -> tuple[str, str]:
        """The new page and the row's lines."""
        sources = self.sources(anonymous)
        row = row_lines(self.leads, sources, self.newline)
        return self.write(row, sources), row

    def expected(self) -> Expected:
        """How the page must differ afterwards."""
        shown = tuple(
            self.cells[c].shown if c is not None and c not in self.kept else None
            for c in self.columns
        )
        return Expected(shown, self.index, self.replaces)


def add_row(page: Page, row: Row, *, size: str) -> PageChange:
    """Put `row` into the section of `size` (7b, 7B, or a section's heading).

    A row that links to a script of the same file name is replaced, wherever it stands; the address
    around the name may differ. Otherwise the row follows the section's last one. An empty grid
    becomes a list-table; a section that is missing is made where its size belongs. Every other
    character of the page stays. docutils must read the new page as the old one with the row.

    Raises PageError when there is no place for the row or the result would not be valid.
    """
    label = size_label(size)
    if label is None:
        raise PageError("{size} is no model size; give one such as 7B.", size=f"{size!r}")
    cells = contents(row)
    old = place.same_script(page, row.link, label)
    if old is None:
        draft = _adding(page, cells, label)
    else:
        section, standing = old
        table = _editable(page, section.table)
        kept = _kept_cells(standing, cells)
        if all(
            c.column is None or c.column in kept or cells[c.column].same(c) for c in standing.cells
        ):
            text = page.text[standing.start : standing.end]
            return _change(page, "none", section.label, page.text, text)
        draft = _in_table(page, cells, section, table, standing)
    anonymous = _anonymous(page, draft, replaces=old is not None)
    text, lines = draft.written(anonymous)
    wrong = fault(judge(page.text, page.path), judge(text, page.path), draft.expected())
    if wrong:
        raise PageError(
            "The row was not written into section {section} of {path}: {wrong}. Add the row by "
            "hand.",
            section=draft.section,
            path=page.path,
            wrong=wrong,
        )
    return _change(page, "replace" if old else "add", draft.section, text, lines)


def _change(page: Page, action: Action, section: str, text: str, lines: str) -> PageChange:
    rst = "\n".join(line.text for line in split_lines(lines))
    edit = PageEdit(
        path=page.path,
        section=section,
        action=action,
        rst=rst,
        patch=patch(page.path, page.text.encode(), text.encode()),
    )
    return PageChange(text=text, edit=edit)


def _anonymous(page: Page, draft: _EditDraft, *, replaces: bool) -> frozenset[Column]:
    """The columns whose links may not have a name, the page's own form, since it is taken.

    Two links of one name that lead to different addresses are a docutils warning.
    """
    linked = {c: draft.cells[c] for c in draft.columns if c and draft.cells[c].url}
    # The names of the row that is replaced are free again; a new row takes none away.
    others = draft.written(frozenset(linked))[0] if replaces else page.text
    names = dict(judge(others, page.path).names)
    taken: set[Column] = set()
    for column, content in linked.items():
        name, (address, *_) = link_name(content.shown.text), content.shown.links
        if names.setdefault(name, address) != address:
            taken.add(column)
    return frozenset(taken)


def _kept_cells(old: PageRow, cells: Cells) -> dict[Column | None, str]:
    """The cells of a row that its replacement leaves alone.

    A new row that doesn't know its contributor doesn't take the old one's credit, and one that
    names the same leaves where the name leads.
    """
    contributor = cells["contributor"].text
    return {
        cell.column: cell.source
        for cell in old.cells
        if cell.column is None
        or (cell.column == "contributor" and contributor in (UNKNOWN_CELL, cell.text))
    }


def _adding(page: Page, cells: Cells, label: str) -> _EditDraft:
    section = place.find_section(page, label)
    if section is None:
        near, at = place.place_of_new(page, label)
        return _inserting(page, cells, near, at, title=label)
    if section.table is None:
        return _inserting(page, cells, section, place.end_of(page, section), title=None)
    return _in_table(page, cells, section, _editable(page, section.table), None)


def _in_table(
    page: Page, cells: Cells, section: Section, table: Table, old: PageRow | None
) -> _EditDraft:
    """A row in the place of an old one, or behind the last."""
    if table.form == "grid":
        return _converting(page, cells, section, table, old)
    rows = (table.header, *table.rows)
    last = old or rows[-1]
    start, gap = old.start if old else last.end, ""
    if old is None and table.rows and not table.filled:
        # Rows of backslashes only held the place.
        start = table.rows[0].start
    elif old is None and len(rows) > 1:
        # Rows may stand apart by blank lines.
        between = page.text[rows[-2].end : last.start]
        gap = "" if between.strip() else between
    return _EditDraft(
        section=section.label,
        cells=cells,
        columns=table.columns,
        leads=last.leads,
        newline=place.newline_at(page, last.end),
        write=lambda lines, _: place.splice(page, start, last.end, gap + lines),
        index=table.filled.index(old) if old else len(table.filled),
        replaces=old is not None,
        kept=_kept_cells(old, cells) if old else {},
    )


def _converting(
    page: Page, cells: Cells, section: Section, table: Table, old: PageRow | None
) -> _EditDraft:
    """The grid becomes a list-table in the form of the page's other ones."""
    newline = place.newline_at(page, table.end)
    frame = with_options(_frame(page, section), table, newline)
    index = table.filled.index(old) if old else len(table.filled)

    def write(_: str, sources: Sequence[str]) -> str:
        rows: list[Sequence[str]] = []
        for row in table.filled:
            held = {cell.column: cell.source or UNKNOWN_CELL for cell in row.cells}
            rows.append([held.get(column, UNKNOWN_CELL) for column in frame.columns])
        rows[index : index + bool(old)] = [sources]
        return place.splice(page, table.start, table.end, frame.table(rows, newline))

    return _EditDraft(
        section=section.label,
        cells=cells,
        columns=frame.columns,
        leads=frame.leads,
        newline=newline,
        write=write,
        index=index,
        replaces=old is not None,
    )


def _inserting(
    page: Page, cells: Cells, near: Section, at: int, *, title: str | None
) -> _EditDraft:
    """A table that was not there, with its heading where `title` is given."""
    newline = place.newline_at(page, at)
    frame = _frame(page, near)
    above, below = split_lines(page.text[:at]), split_lines(page.text[at:])
    lead = newline if above and not above[-1].blank else ""
    tail = newline if below and not below[0].blank else ""
    if title:
        headings = [s.heading for s in (near, *page.sections) if s.size and s.heading]
        like = next((h for h in headings if h.underline), None)
        lead += heading(title, like, newline) + newline
    return _EditDraft(
        section=title or near.label,
        cells=cells,
        columns=frame.columns,
        leads=frame.leads,
        newline=newline,
        write=lambda _, sources: place.splice(
            page, at, at, lead + frame.table([sources], newline) + tail
        ),
        index=0,
    )


def _editable(page: Page, table: Table | None) -> Table:
    if table is None or table.problem:
        at = message(" at line {line}", line=page.line_of(table.start)) if table else ""
        problem = table.problem if table else message("it is missing")
        raise PageError(
            "The table{at} of {path} cannot be edited: {problem}. Mend it first.",
            at=at,
            path=page.path,
            problem=problem,
        )
    return table


def _frame(page: Page, near: Section) -> Frame:
    """The form of the nearest sound list-table, those above first."""
    at = page.sections.index(near)
    for section in (*page.sections[at::-1], *page.sections[at + 1 :]):
        table = section.table
        if table and table.form == "list" and not table.problem and "link" in table.columns:
            return frame_of(page, table, place.newline_at(page, table.end))
    tables = [s.table for s in (near, *page.sections) if s.table]
    language: PageLanguage = tables[0].language if tables else "en"
    return own_frame(language, place.newline_at(page, 0))


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
