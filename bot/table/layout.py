"""Writes rows, tables and headings in the form that the page already has."""

from __future__ import annotations

from collections.abc import Sequence

from bot.base.config import SCRIPT_SUFFIXES
from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.report import Row
from bot.table import rst
from bot.table.columns import COLUMNS, HEADERS, Column, PageLanguage
from bot.table.judge import Shown
from bot.table.lines import split_lines, width
from bot.table.parts import Cell, Heading, Page, Table, file_name

_LOGIN = regex(r"[A-Za-z0-9](?:[A-Za-z0-9]|-(?=[A-Za-z0-9])){0,38}\Z")
_NAME_AND_MAIL = regex(r"(?P<name>[^<>]*[^<>\s])\s*<(?P<mail>[^<>\s]+)>\Z")
_SERVER = regex(r"https?://[^/]+(?=/[^/]+/[^/]+/blob/)")
_OPTION_NAME = regex(r":([A-Za-z][\w-]*):")


@dataclass(frozen=True, slots=True)
class Content:
    """What a new cell holds, before its form is chosen."""

    text: str
    """As it was given; a backslash for unknown."""
    url: str | None = None
    """Where the text links to."""

    @property
    def shown(self) -> Shown:
        """What the page will show."""
        if self.text == rst.UNKNOWN_CELL:
            return Shown("")
        if self.url:
            return Shown(
                rst.normalise(self.text) or rst.quote(self.url), (rst.target_of(self.url),)
            )
        return Shown(rst.normalise(self.text))

    def source(self, *, anonymous: bool) -> str:
        """The cell's RST; `anonymous` chooses a link that makes no link name."""
        if self.text == rst.UNKNOWN_CELL:
            return rst.UNKNOWN_CELL
        if self.url:
            return rst.link(self.text, self.url, anonymous=anonymous)
        return rst.cell(self.text)

    def same(self, cell: Cell) -> bool:
        """True when a cell of the page says this already, in whatever form."""
        old = cell.link
        links = (rst.target_of(old.url),) if old else ()
        return Shown(cell.text, links) == self.shown


def contents(row: Row) -> dict[Column, Content]:
    """What each column of the row holds."""
    found = {column: Content(getattr(row, column)) for column in COLUMNS}
    found["link"] = _script(row.link)
    found["contributor"] = _person(row.contributor, row.link)
    return found


def _script(link: str) -> Content:
    """The script's name, linked to its address; a path that is no address stays text.

    An address may start from the page (`../`) or from the root of the repository (`/`).
    """
    if rst.is_linkable(link) and ("://" in link or link.endswith(SCRIPT_SUFFIXES)):
        return Content(file_name(link) or link, link)
    return Content(link)


def _person(contributor: str, link: str) -> Content:
    """A login linked to its profile, `Name <mail>` to the mail; other text stays text.

    The profile is on the server that the row's `link` leads to.
    """
    if _LOGIN.match(contributor):
        server = _SERVER.match(link)
        return Content(
            contributor, f"{server[0] if server else 'https://github.com'}/{contributor}"
        )
    named = _NAME_AND_MAIL.match(contributor)
    if named and rst.is_linkable(named["mail"]):
        return Content(named["name"], named["mail"])
    return Content(contributor)


def row_lines(leads: Sequence[str], sources: Sequence[str], newline: str) -> str:
    """A row of a list-table, a line for each cell; every line ends in `newline`."""
    return "".join(
        f"{lead}{source}".rstrip() + newline for lead, source in zip(leads, sources, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Frame:
    """A list-table without rows: where a new table takes its form from."""

    directive: str
    """Directive and options, with the blank line after them."""
    header: str
    """The header row, each line with its end."""
    columns: tuple[Column | None, ...]
    leads: tuple[str, ...]

    def table(self, rows: Sequence[Sequence[str]], newline: str) -> str:
        """The whole table; every line ends in `newline`."""
        lines = "".join(row_lines(self.leads, sources, newline) for sources in rows)
        return self.directive + self.header + lines


def frame_of(page: Page, table: Table, newline: str) -> Frame:
    """The form of a list-table of the page, its title and its own name left out."""
    head = page.text[table.start : table.header.start]
    kept: list[str] = []
    for line in split_lines(head):
        if not kept:
            line_text = line.text[: line.text.index("::") + 2] if table.title else line.text
            kept.append(line_text + (line.newline or newline))
        elif line.text.strip().startswith(":name:"):
            continue
        else:
            kept.append(line.text + (line.newline or newline))
    header = page.text[table.header.start : table.header.end]
    if not header.endswith(("\n", "\r")):
        header += newline
    return Frame("".join(kept), header, table.columns, table.header.leads)


def own_frame(language: PageLanguage, newline: str) -> Frame:
    """The form of verl's page, for a page that has no list-table yet."""
    directive = newline.join(
        [".. list-table::", "    :widths: auto", "    :header-rows: 1", "", ""]
    )
    leads = ("    * - ", *["      - "] * (len(COLUMNS) - 1))
    names = [HEADERS[language][column] for column in COLUMNS]
    return Frame(directive, row_lines(leads, names, newline), COLUMNS, leads)


def with_options(frame: Frame, table: Table, newline: str) -> Frame:
    """The frame with the title and the further options of the table that it replaces."""
    lines = split_lines(frame.directive)
    have = {m[1] for line in lines if (m := _OPTION_NAME.match(line.text.strip()))}
    margin = next((x.text[: len(x.text) - len(x.text.lstrip())] for x in lines[1:]), "")
    further = [
        f"{margin or '    '}{option}{newline}"
        for option in table.options
        if (m := _OPTION_NAME.match(option)) and m[1] not in have
    ]
    first = lines[0].text.rstrip() + (f" {table.title}" if table.title else "") + newline
    rest = "".join(line.text + line.newline for line in lines[1:])
    return Frame(first + "".join(further) + rest, frame.header, frame.columns, frame.leads)


def heading(title: str, like: Heading | None, newline: str) -> str:
    """A heading in the style of a neighbour; verl's own style (`~`) without one."""
    character, overlined = like.style if like else ("~", False)
    border = character * max(3, width(title))
    lines = [border, title, border] if overlined else [title, border]
    return "".join(line + newline for line in lines)
