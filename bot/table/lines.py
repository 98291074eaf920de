"""A page's text as lines that keep every character, and the widths that RST counts in."""

from __future__ import annotations

import unicodedata

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex

_LINE = regex(r"[^\r\n]+(?:\r\n|\r|\n)?|\r\n|\r|\n")
_TAB = 8
"""RST's tab stops (docutils, setting `tab_width`)."""


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of a page; `text` and `newline` joined over all lines are the page."""

    start: int
    """Offset of its first character, in characters."""
    text: str
    """Without the line's end."""
    newline: str
    r"""`\n`, `\r\n`, `\r`, or nothing at the end of the page."""

    @property
    def end(self) -> int:
        """Offset after the line's end."""
        return self.start + len(self.text) + len(self.newline)

    @property
    def blank(self) -> bool:
        """True when nothing but white space stands there."""
        return not self.text.strip()

    @property
    def indent(self) -> int:
        """Columns of white space before the text, tabs expanded."""
        return column_at(self.text, len(self.text) - len(self.text.lstrip()))


def split_lines(text: str) -> list[PageLine]:
    """The lines of a text, whatever their ends."""
    lines: list[PageLine] = []
    for match in _LINE.finditer(text):
        whole = match[0]
        body = whole.rstrip("\r\n")
        lines.append(PageLine(match.start(), body, whole[len(body) :]))
    return lines


def column_at(text: str, index: int) -> int:
    """The column, from 0, of the character at `index`, tabs expanded."""
    return len(text[:index].expandtabs(_TAB))


def width(text: str) -> int:
    """Columns that a text fills: East Asian wide characters fill two, combining ones none."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def display_columns(text: str) -> list[int]:
    """For each character the column it starts in."""
    columns: list[int] = []
    at = 0
    for character in text:
        columns.append(at)
        at += _columns(character)
    return columns
