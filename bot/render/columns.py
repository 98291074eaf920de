"""Lines of text in a terminal's columns."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from unicodedata import category, east_asian_width

from bot.render.escape import terminal

TAB = 4
_REACH = 8
"""Characters for each column that are looked at on both sides of what is shown of a long line."""


def cells(line: str) -> list[tuple[str, int]]:
    r"""What each character of `line` is shown as, and how many columns that takes.

    A tab fills up to the next multiple of four columns; a character that cannot be seen is shown
    as its code point; East Asian wide and full-width characters take two columns, combining marks
    none. Characters of ambiguous width (√, ×) count as one, as terminals do outside a CJK locale.
    """
    if line.isascii() and line.isprintable():
        return [(char, 1) for char in line]
    shown: list[tuple[str, int]] = []
    column = 0
    for char in line:
        if char == "\t":
            here = " " * (TAB - column % TAB)
        else:
            here = char if char.isascii() and char.isprintable() else terminal(char)
        width = _width(char) if here == char else len(here)
        shown.append((here, width))
        column += width
    return shown


def width_of(text: str) -> int:
    """Columns that a text takes in a terminal."""
    return sum(map(_width, text))


def padded(text: str, width: int) -> str:
    """`text` with blanks up to `width` columns; as it is when it takes more."""
    return text + " " * max(0, width - width_of(text))


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, broken at blanks and between wide characters."""
    lines = [""]
    for part in re.findall(r"[!-~]+|\s+|.", text):
        closing = category(part[0]) in ("Po", "Pe") and not part.isascii()
        if lines[-1] and not closing and width_of(lines[-1] + part) > width:
            lines.append("")
        if part.isspace():
            lines[-1] += " " if lines[-1] else ""
        else:
            lines[-1] += part
    return [line.rstrip() for line in lines]


def hanging(text: str, first: str, width: int) -> list[str]:
    """Lines of at most `width` columns: `first` before the text, blanks before what follows."""
    room = width_of(first)
    lines = wrapped(text, width - room)
    return [f"{' ' * room if n else first}{line}" for n, line in enumerate(lines)]


def aligned(rows: Sequence[Sequence[str]], right: Collection[int]) -> list[str]:
    """The rows of a table in columns two blanks apart; the columns in `right` end alike."""
    wide = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            " " * (room - width_of(cell)) + cell if place in right else padded(cell, room)
            for place, (cell, room) in enumerate(zip(row, wide, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def _width(char: str) -> int:
    # Vowels and finals of Hangul syllables written in parts join the consonant before them.
    if category(char) in ("Mn", "Me") or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def excerpt(line: str, start: int, end: int, width: int) -> tuple[str, str]:
    """`line` and, below it, carets under its characters from `start` to before `end`.

    Positions count characters from 0; an empty or outlying stretch gets one caret. A line wider
    than `width` columns is cut around the stretch, with an ellipsis where it was cut; a stretch
    that is too wide itself shows its start.
    """
    start = min(max(start, 0), len(line))
    end = min(max(end, start), len(line))
    # A line may have a megabyte, and a finding for each of its words.
    reach = _REACH * max(width, 20)
    skipped = max(0, start - reach)
    beyond = min(end, start + reach) + reach < len(line)
    shown = cells(line[skipped : min(end, start + reach) + reach])
    start, end = start - skipped, min(end - skipped, len(shown))
    widths = [width for _, width in shown]
    first, last = _window(widths, start, end, max(width, 20))
    left = "…" if first or skipped else ""
    right = "…" if last < len(shown) or beyond else ""
    body = "".join(text for text, _ in shown[first:last])
    before = len(left) + sum(widths[first:start])
    under = sum(widths[start : min(end, last)])
    return f"{left}{body}{right}".rstrip(), " " * before + "^" * max(under, 1)


def _window(widths: list[int], start: int, end: int, room: int) -> tuple[int, int]:
    """Which characters to show: all, or as many around the stretch as fit beside the ellipses."""
    total = len(widths)
    if sum(widths) <= room:
        return 0, total
    room -= 2
    first = last = start
    used = 0
    while last < end and used + widths[last] <= room:
        used += widths[last]
        last += 1
    # What is left goes to both sides, two thirds before it: the key stands before the value.
    before = (room - used) * 2 // 3
    while first > 0 and before >= widths[first - 1]:
        first -= 1
        before -= widths[first]
        used += widths[first]
    while last < total and used + widths[last] <= room:
        used += widths[last]
        last += 1
    while first > 0 and used + widths[first - 1] <= room:
        first -= 1
        used += widths[first]
    return first, last
