"""Reads a documentation page into its sections and their rows, keeping every character.

Meant for verl's docs/perf/device_tuning.rst and its translations. Some of those lost their
headings: a heading counts in Markdown's form or bare as well, and a table without one belongs to
the size that its Model cells state. docutils judges whether a page is valid; see `bot.table.judge`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from bot.base.regex import regex
from bot.table.blocks import read_table
from bot.table.columns import size_label
from bot.table.lines import PageLine, split_lines, width
from bot.table.parts import Heading, Page, PageError, Section, Table

MAX_CHARACTERS = 250_000
"""A longer page is refused, since docutils needs over a second for so many characters; verl's has
9,500."""

_ADORNMENT = regex(r"([!-/:-@\[-`{-~])\1+[ \t]*\Z")
_COLONS = ":" + unicodedata.lookup("FULLWIDTH COLON")
_LOST = regex(rf"[#*_ \t]*([0-9.]+[BMT](?:-A[0-9.]+B)?)[*_{_COLONS} \t]*\Z", re.IGNORECASE)
_SHORT_TITLE = 20
"""A longer title that states a size is about something else than a section of that size."""


def read_page(text: str, path: str) -> Page:
    """Read a page; `path` is for messages. Raises PageError for a page above MAX_CHARACTERS."""
    if len(text) > MAX_CHARACTERS:
        raise PageError(
            "{path} has {count} characters, more than the {limit} that can be edited; "
            "split the page.",
            path=path,
            count=f"{len(text):,}",
            limit=f"{MAX_CHARACTERS:,}",
        )
    lines = split_lines(text)
    headings: list[Heading] = []
    events: list[Heading | Table] = []
    at = 0
    while at < len(lines):
        block = read_table(text, lines, at)
        if block:
            table, at = block
            if table:
                events.append(table)
            continue
        real = _heading(lines, at)
        if real:
            heading, at = real
            headings.append(heading)
            events.append(heading)
            continue
        lost = _lost_heading(lines, at)
        if lost:
            events.append(lost)
        at += 1
    return Page(path, text, tuple(_sections(events)), tuple(headings))


def _sections(events: Sequence[Heading | Table]) -> list[Section]:
    """Give each table the nearest size heading above it that no other table has taken."""
    sections: list[Section] = []
    waiting: Heading | None = None
    levels: list[tuple[str, bool]] = []
    for event in events:
        if isinstance(event, Table):
            sections.append(Section(waiting, event))
            waiting = None
            continue
        if event.underline and event.style not in levels:
            levels.append(event.style)
        sized = _names_size(event)
        # A heading below the size's own level divides the section; any other one ends it.
        inside = (
            waiting is not None
            and waiting.underline
            and event.underline
            and levels.index(event.style) > levels.index(waiting.style)
        )
        if waiting and not (inside and not sized):
            if waiting.underline:
                sections.append(Section(waiting, None))
            waiting = None
        if sized:
            waiting = event
    if waiting and waiting.underline:
        sections.append(Section(waiting, None))
    return sections


def _names_size(heading: Heading) -> bool:
    title = heading.title
    return len(title) <= _SHORT_TITLE and size_label(title) is not None


def _heading(lines: Sequence[PageLine], at: int) -> tuple[Heading, int] | None:
    """A title with its underline, perhaps an overline, and the index of the line after it.

    An underline of three characters below a longer title counts too: docutils takes it for text,
    and pages have it ("0.5B" over "~~~").
    """
    if at and not lines[at - 1].blank:
        return None
    overline = _ADORNMENT.match(lines[at].text)
    title_at = at + 1 if overline else at
    if title_at + 1 >= len(lines):
        return None
    title, under = lines[title_at], lines[title_at + 1]
    underline = _ADORNMENT.match(under.text)
    if not underline or title.blank or _ADORNMENT.match(title.text):
        return None
    if overline and lines[at].text.rstrip() != under.text.rstrip():
        return None
    if title.indent and not overline:
        return None
    shown = title.text.strip()
    length = len(under.text.rstrip())
    if length < 3 and length < width(shown):
        return None
    heading = Heading(shown, lines[at].start, under.end, underline[1], bool(overline))
    return heading, title_at + 2


def _lost_heading(lines: Sequence[PageLine], at: int) -> Heading | None:
    """A line that holds nothing but a size, with blank lines around it: `## 7B`, `**7B**`, `7B`."""
    found = _LOST.match(lines[at].text)
    if not found or size_label(found[1]) is None:
        return None
    if at and not lines[at - 1].blank:
        return None
    if at + 1 < len(lines) and not lines[at + 1].blank:
        return None
    return Heading(found[1], lines[at].start, lines[at].end)
