"""The parts of a documentation page as they were read, each with its place in the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal, TypeAlias

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.shell.source import Span
from bot.table import rst
from bot.table.columns import Column, PageLanguage, size_label

TableForm: TypeAlias = Literal["list", "grid"]


class PageError(UserError):
    """The page cannot be edited as requested: one sentence with the reason and what to do next."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a row; `start` and `end` are offsets in the page's text, in characters."""

    column: Column | None
    """None for a column that the tuning table does not have."""
    source: str
    """The cell's RST, from its first to its last visible character."""
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Its place."""
        return Span(self.start, self.end)

    @property
    def text(self) -> str:
        """What the cell shows; empty where the page says unknown."""
        return rst.plain(self.source)

    @property
    def link(self) -> rst.Link | None:
        """The link that the cell holds, if it is one."""
        return rst.read_link(self.source)


@dataclass(frozen=True, slots=True)
class PageRow:
    """One row; it reaches from the start of its first line to the start of the line after it."""

    cells: tuple[Cell, ...]
    start: int
    end: int
    leads: tuple[str, ...] = ()
    """In a list-table, what stands before each cell's text: the bullets with their white space."""

    def cell(self, column: Column) -> Cell | None:
        """The cell of a column."""
        return next((c for c in self.cells if c.column == column), None)

    def text(self, column: Column) -> str:
        """What the cell of a column shows; empty when unknown or absent."""
        found = self.cell(column)
        return found.text if found else ""

    @property
    def empty(self) -> bool:
        """True for the row that only holds the table's place."""
        return not any(cell.text for cell in self.cells)

    @property
    def size(self) -> str | None:
        """The size that the Model cell states, such as 7B."""
        return size_label(self.text("model"))

    @property
    def file_name(self) -> str | None:
        """The name of the script that the row links to, from the address where there is one."""
        found = self.cell("link")
        if found is None or not found.text:
            return None
        address = found.link.url if found.link else found.text
        return file_name(address)


def file_name(address: str) -> str | None:
    """The last part of an address or path, its query and fragment left out."""
    path = address.split("#", 1)[0].split("?", 1)[0].rstrip("/")
    return path.rsplit("/", 1)[-1] or None


@dataclass(frozen=True, slots=True)
class Table:
    """A tuning table, from its directive to its last line."""

    form: TableForm
    start: int
    end: int
    columns: tuple[Column | None, ...]
    language: PageLanguage
    header: PageRow
    rows: tuple[PageRow, ...]
    title: str = ""
    """The directive's argument."""
    options: tuple[str, ...] = ()
    """The directive's options, a line for each, without their indentation."""
    problem: str | None = None
    """What keeps the table from being edited, with its line."""

    @property
    def filled(self) -> tuple[PageRow, ...]:
        """The rows that say something."""
        return tuple(row for row in self.rows if not row.empty)


@dataclass(frozen=True, slots=True)
class Heading:
    """A section's heading."""

    title: str
    start: int
    """Start of its first line (the overline, if there is one)."""
    end: int
    """Start of the line after it."""
    underline: str = ""
    """The character of the underline; empty when the heading lost its RST form."""
    overlined: bool = False

    @property
    def style(self) -> tuple[str, bool]:
        """How docutils distinguishes levels."""
        return self.underline, self.overlined


@dataclass(frozen=True, slots=True)
class Section:
    """A model size's part of the page: a heading, a table, or both."""

    heading: Heading | None
    table: Table | None

    @property
    def size(self) -> str | None:
        """The size: the heading's, else the one most rows state; None when nothing states one."""
        if self.heading:
            return size_label(self.heading.title)
        common = Counter(self.sizes).most_common(1)
        return common[0][0] if common else None

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes that the rows state, in their order, repeated ones repeated."""
        rows = self.table.rows if self.table else ()
        return tuple(size for row in rows if (size := row.size))

    @property
    def label(self) -> str:
        """The section's name for messages: its heading, else its size."""
        return self.heading.title if self.heading and self.heading.underline else self.size or ""


@dataclass(frozen=True, slots=True)
class Page:
    """A documentation page."""

    path: str
    text: str
    sections: tuple[Section, ...]
    headings: tuple[Heading, ...]
    """Every heading in RST form, whatever it says."""

    def rows(self) -> Iterator[tuple[Section, PageRow]]:
        """Every row that says something, with its section, in the page's order."""
        for section in self.sections:
            for row in section.table.filled if section.table else ():
                yield section, row

    def line_of(self, offset: int) -> int:
        """The line, from 1, of a character offset."""
        before = self.text[:offset]
        return before.count("\n") + before.replace("\r\n", "").count("\r") + 1
