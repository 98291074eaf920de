"""Splitting expanded text into words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.shell.pieces import Value, part
from bot.shell.source import Span
from bot.shell.words import Hole, Piece

LITERAL, SPLIT, PROTECTED, BREAK = range(4)
"""How a piece takes part in splitting: unquoted text that was written there, the unquoted result
of an expansion, quoted text, and the border between two elements of `$@` or of an array."""

Atom: TypeAlias = tuple[Piece, int]


@dataclass(frozen=True, slots=True)
class ExpansionContext:
    """Where an expansion stands, which decides how its result takes part in splitting."""

    quoted: bool = False
    """In double quotes."""
    whole: bool = False
    """The result becomes one value and is not split."""
    operand: bool = False
    """In the operand of an unquoted `${X:-…}`, whose own text is split too."""

    @property
    def mode(self) -> int:
        """How the result of an expansion takes part in splitting."""
        return PROTECTED if self.quoted else SPLIT


UNQUOTED = ExpansionContext()
WHOLE = ExpansionContext(whole=True)
QUOTED = ExpansionContext(quoted=True)
QUOTED_WHOLE = ExpansionContext(quoted=True, whole=True)
OPERAND = ExpansionContext(operand=True)

BORDER: Atom = (Piece("", Span(0, 0)), BREAK)


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
    return re.compile(f"(?=[{blank}{other}]){blanks}*+([{other}]?){blanks}*")


class _Words:
    """Words that are being put together."""

    def __init__(self) -> None:
        self.done: list[Value] = []
        self.current: list[Piece] | None = None
        """The pieces of the word that has begun; None between words."""

    def begin(self) -> list[Piece]:
        if self.current is None:
            self.current = []
        return self.current

    def end(self) -> None:
        if self.current is not None:
            self.done.append(tuple(self.current))
            self.current = None


def split(atoms: list[Atom], separators: str) -> list[Value]:
    """The words that an expansion gives, by the characters of IFS."""
    words = _Words()
    for piece, mode in atoms:
        text = piece.text
        if mode == BREAK:
            words.end()
        elif mode != SPLIT or isinstance(text, Hole):
            current = words.begin()
            if text != "":
                current.append(piece)
        elif text and not separators:
            words.begin().append(piece)
        elif text:
            _split_piece(words, piece, text, _borders(separators))
    words.end()
    return words.done


def _split_piece(words: _Words, piece: Piece, text: str, borders: re.Pattern[str]) -> None:
    if borders.search(text) is None:
        words.begin().append(piece)
        return
    at = 0
    for border in borders.finditer(text):
        if border.start() > at:
            words.begin().append(part(piece, at, border.start()))
        if border.group(1):
            # A separator that is no blank ends a word even where none has begun.
            words.begin()
        words.end()
        at = border.end()
    if at < len(text):
        words.begin().append(part(piece, at, len(text)))
