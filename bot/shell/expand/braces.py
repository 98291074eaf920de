"""Brace expansion: `{a,b}` and `{1..8}`, on the unquoted characters of a word."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TypeAlias

from bot.base.regex import regex
from bot.shell.limits import LimitReached
from bot.shell.parse.syntax import Text, WordNode, WordPart
from bot.shell.pieces import part
from bot.shell.source import Span
from bot.shell.words import Piece
from bot.shell.world.session import Session

_SEQUENCE = regex(
    r"(?:(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?[0-9]{1,18}))?"
)

Symbol: TypeAlias = tuple[str, WordPart, int]
"""A character of unquoted text with its part and place in it, or "" and any other part."""


def expand_braces(session: Session, node: WordNode) -> list[list[WordPart]]:
    """The words that brace expansion makes of a word, each as its parts."""
    symbols: list[Symbol] = []
    for item in node.parts:
        if isinstance(item, Text) and not item.piece.quoted and isinstance(item.piece.text, str):
            symbols.extend((c, item, k) for k, c in enumerate(item.piece.text))
        else:
            symbols.append(("", item, 0))
    if not any(symbol[0] == "}" for symbol in symbols):
        return [node.parts]
    session.spend(0, len(symbols))
    words = _Expander(session, symbols).words(0, len(symbols), 0)
    return [_parts(word) for word in words]


class _Expander:
    def __init__(self, session: Session, symbols: list[Symbol]) -> None:
        self.session = session
        self.symbols = symbols
        self.close: dict[int, int] = {}
        self.commas: dict[int, list[int]] = {}
        stack: list[int] = []
        for at, (character, _, _) in enumerate(symbols):
            if character == "{":
                stack.append(at)
            elif character == "}" and stack:
                self.close[stack.pop()] = at
            elif character == "," and stack:
                self.commas.setdefault(stack[-1], []).append(at)

    def words(self, start: int, end: int, depth: int) -> list[list[Symbol]]:
        if depth > self.session.limits.depth:
            raise LimitReached("depth", self.session.limits, self.session.at)
        results: list[list[Symbol]] = [[]]
        at = begin = start
        while at < end:
            choices = self._choices(at, depth) if at in self.close else []
            if not choices:
                at += 1
                continue
            self.session.spend_words(len(results) * len(choices))
            plain = self.symbols[begin:at]
            width = max(map(len, results)) + len(plain) + max(map(len, choices))
            self.session.spend(0, len(results) * len(choices) * (1 + width // 16))
            results = [[*word, *plain, *choice] for word in results for choice in choices]
            at = begin = self.close[at] + 1
        rest = self.symbols[begin:end]
        return [[*word, *rest] for word in results] if rest else results

    def _choices(self, opening: int, depth: int) -> list[list[Symbol]]:
        close = self.close[opening]
        commas = self.commas.get(opening)
        if commas:
            bounds = [opening, *commas, close]
            return [
                word
                for low, high in pairwise(bounds)
                for word in self.words(low + 1, high, depth + 1)
            ]
        self.session.spend(0, 1 + (close - opening) // 8)
        inner = self.symbols[opening + 1 : close]
        if any(symbol[0] == "" for symbol in inner):
            return []
        found = _SEQUENCE.fullmatch("".join(symbol[0] for symbol in inner))
        if not found:
            return []
        span = Span(_place(inner[0]), _place(inner[-1]) + 1)
        return [[("", Text(Piece(text, span, False)), 0)] for text in self._sequence(found)]

    def _sequence(self, found: re.Match[str]) -> list[str]:
        low, high, first, last, step = found.groups()
        letters = first is not None
        start, stop = (ord(first), ord(last)) if letters else (int(low), int(high))
        pace = abs(int(step or "1")) or 1
        self.session.spend_words(abs(stop - start) // pace + 1)
        numbers = range(start, stop + 1, pace) if start <= stop else range(start, stop - 1, -pace)
        if letters:
            return [chr(number) for number in numbers]
        padded = any(re.match(r"-?0[0-9]", text) for text in (low, high))
        width = max(len(low), len(high)) if padded else 0
        return [f"{number:0{width}d}" for number in numbers]


def _place(symbol: Symbol) -> int:
    _, item, at = symbol
    return item.piece.span.start + at if isinstance(item, Text) else 0


def _parts(symbols: list[Symbol]) -> list[WordPart]:
    """Symbols as parts again, neighbouring characters of one part together."""
    parts: list[WordPart] = []
    at = 0
    while at < len(symbols):
        character, item, place = symbols[at]
        at += 1
        if character == "" or not isinstance(item, Text):
            parts.append(item)
            continue
        end = place + 1
        while at < len(symbols) and symbols[at][1] is item and symbols[at][2] == end:
            at += 1
            end += 1
        parts.append(Text(part(item.piece, place, end)))
    return parts
