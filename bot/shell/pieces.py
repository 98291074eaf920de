"""Values as bash holds them: pieces of text, some of which nobody knows."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias

from bot.shell.source import Span
from bot.shell.words import Hole, Piece, Word

Value: TypeAlias = tuple[Piece, ...]


def marked(value: Value, name: str) -> Value:
    """The pieces of a value, each with `name` put before the variables it came through.

    A name counts once: a value that a loop hands around would otherwise carry ever longer chains.
    """
    return tuple(
        Piece(p.text, p.span, p.literal, p.quoted, _chain(name, p.via), p.default_of) for p in value
    )


def _chain(name: str, via: tuple[str, ...]) -> tuple[str, ...]:
    if name not in via:
        return (name, *via)
    return via if via[0] == name else (name, *(other for other in via if other != name))


def known(value: Value) -> str | None:
    """The characters of a value; None when a part of it is unknown."""
    if len(value) == 1:
        text = value[0].text
        return text if isinstance(text, str) else None
    parts: list[str] = []
    for piece in value:
        if not isinstance(piece.text, str):
            return None
        parts.append(piece.text)
    return "".join(parts)


def computed(text: str, span: Span) -> Value:
    """A value that was computed at `span`."""
    return (Piece(text, span, literal=False),)


def joined(words: Iterable[Word]) -> Value:
    """Words as one value, with blanks between them."""
    pieces: list[Piece] = []
    for index, word in enumerate(words):
        if index:
            pieces += computed(" ", Span(word.span.start, word.span.start))
        pieces += word.pieces
    return tuple(pieces)


def first_hole(value: Value) -> Hole | None:
    """The first unknown part of a value."""
    for piece in value:
        if isinstance(piece.text, Hole):
            return piece.text
    return None


def may_split(value: Value) -> bool:
    """Whether an element that nobody knows may be any number of words, as no `$ROOT/a` is."""
    holes = [piece.text for piece in value if isinstance(piece.text, Hole)]
    return any((f.kind == "command" or len(value) == 1) and not f.number for f in holes)


def certain_ones(values: Sequence[Value]) -> int:
    """How many values stand before the first that may be any number of words."""
    return next((at for at, value in enumerate(values) if may_split(value)), len(values))


def up_to_hole(value: Value) -> Value:
    """A value without what stands behind its first unknown part."""
    found = (at for at, piece in enumerate(value, 1) if isinstance(piece.text, Hole))
    return value[: next(found, len(value))]


def size(value: Value) -> int:
    """How many characters a value has; a hole counts as a few."""
    return sum([len(p.text) if isinstance(p.text, str) else 8 for p in value])


def part(piece: Piece, start: int, end: int) -> Piece:
    """The characters [start, end) of a known piece."""
    text = piece.text
    assert isinstance(text, str)  # noqa: S101 - callers have checked that the piece is known
    if start == 0 and end == len(text):
        return piece
    span = piece.span
    if piece.literal:
        span = Span(span.start + start, span.start + end)
    return Piece(text[start:end], span, piece.literal, piece.quoted, piece.via, piece.default_of)


def extent(value: Value, otherwise: Span) -> Span:
    """Where a value was written, first to last piece; else where that is no stretch."""
    span = Span(value[0].span.start, value[-1].span.end) if value else otherwise
    return span if span.start <= span.end else otherwise


def trimmed(value: Value, characters: str) -> Value:
    """A value without these characters at its end."""
    pieces = list(value)
    while pieces and isinstance(text := pieces[-1].text, str):
        if end := len(text.rstrip(characters)):
            pieces[-1] = part(pieces[-1], 0, end)
            break
        pieces.pop()
    return tuple(pieces)


def cuts(value: Value, stretches: Iterable[tuple[int, int]]) -> Iterator[Value]:
    """The characters [start, end) of each stretch, as `cut`, without a look at the others."""
    sizes = (len(p.text) if isinstance(p.text, str) else 1 for p in value)
    starts = [0, *accumulate(sizes)]
    for start, end in stretches:
        first = max(bisect_right(starts, start) - 1, 0)
        pieces = value[first : bisect_left(starts, end, first)]
        yield cut(pieces, start - starts[first], end - starts[first])


def cut(value: Value, start: int, end: int = sys.maxsize) -> Value:
    """The characters [start, end) of a value, of which a hole is one, with their places."""
    result: list[Piece] = []
    at = 0
    for piece in value:
        length = len(piece.text) if isinstance(piece.text, str) else 1
        low, high = max(start - at, 0), min(end - at, length)
        if low < high:
            result.append(piece if high - low == length else part(piece, low, high))
        at += length
        if at >= end:
            break
    return tuple(result)
