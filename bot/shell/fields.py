"""Splitting expanded text into words."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from bot.shell.source import Span
from bot.shell.state import Value
from bot.shell.words import Hole, Piece

LITERAL, SPLIT, PROTECTED, BREAK = range(4)
"""How a piece takes part in splitting: unquoted text that was written there, the unquoted result
of an expansion, quoted text, and the border between two elements of `$@` or of an array."""

Atom: TypeAlias = tuple[Piece, int]

BORDER: Atom = (Piece("", Span(0, 0)), BREAK)


def protected(value: Value) -> list[Atom]:
    """A value that is not split."""
    return [(piece, PROTECTED) for piece in value]


def value_of(atoms: list[Atom]) -> Value:
    """All pieces as one value, nothing split; elements are joined by blanks."""
    return tuple(
        Piece(" ", piece.span, False) if mode == BREAK else piece
        for piece, mode in atoms
        if mode == BREAK or piece.text != ""
    )


@lru_cache(maxsize=64)
def _borders(separators: str) -> re.Pattern[str]:
    blank = re.escape("".join(c for c in separators if c in " \t\n"))
    other = re.escape("".join(c for c in separators if c not in " \t\n"))
    blanks = f"[{blank}]" if blank else "(?!)"
    if not other:
        return re.compile(f"(){blanks}+")
    return re.compile(f"{blanks}*([{other}]){blanks}*|{blanks}+")


def split(atoms: list[Atom], separators: str) -> list[Value]:
    """The words that an expansion gives, by the characters of IFS."""
    words: list[Value] = []
    current: list[Piece] = []
    begun = False
    for piece, mode in atoms:
        text = piece.text
        if mode == BREAK:
            if begun:
                words.append(tuple(current))
                current, begun = [], False
        elif mode != SPLIT or isinstance(text, Hole):
            begun = True
            if text != "":
                current.append(piece)
        elif text and not separators:
            begun = True
            current.append(piece)
        elif text:
            at = 0
            for border in _borders(separators).finditer(text):
                if border.start() > at:
                    current.append(part(piece, at, border.start()))
                    begun = True
                if begun or border.group(1):
                    words.append(tuple(current))
                    current, begun = [], False
                at = border.end()
            if at < len(text):
                current.append(part(piece, at, len(text)))
                begun = True
    if begun:
        words.append(tuple(current))
    return words


def part(piece: Piece, start: int, end: int) -> Piece:
    """The characters [start, end) of a known piece."""
    text = piece.text
    assert isinstance(text, str)  # noqa: S101 - callers have checked that the piece is known
    if start == 0 and end == len(text):
        return piece
    if not piece.literal:
        return replace(piece, text=text[start:end])
    span = Span(piece.span.start + start, piece.span.start + end)
    return replace(piece, text=text[start:end], span=span)
