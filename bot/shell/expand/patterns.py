"""Shell patterns: matching without backtracking, so that no pattern takes long.

A pattern is a sequence of (character, quoted) pairs; quoted characters stand for themselves. It
is compiled to a row of states which are followed all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from bot.shell.limits import NotEvaluated

Symbols: TypeAlias = Sequence[tuple[str, bool]]
"""Characters, each with whether it is quoted."""
Accepts: TypeAlias = Callable[[str], bool]

_CLASS_NAME: Final = 64
_SCAN: Final = 12
_COST: Final = 4
"""How much dearer than copying a character it is to match one."""

CLASSES: dict[str, Accepts] = {
    "alpha": str.isalpha,
    "digit": lambda c: "0" <= c <= "9",
    "alnum": str.isalnum,
    "upper": str.isupper,
    "lower": str.islower,
    "space": lambda c: c in " \t\n\r\v\f",
    "blank": lambda c: c in " \t",
    "punct": lambda c: c.isascii() and c.isprintable() and not c.isalnum() and c != " ",
    "xdigit": lambda c: c in "0123456789abcdefABCDEF",
    "cntrl": lambda c: ord(c) < 32 or ord(c) == 127,
    "print": str.isprintable,
    "graph": lambda c: c.isprintable() and c != " ",
    "word": lambda c: c.isalnum() or c == "_",
}


def _any(_character: str) -> bool:
    return True


class Pattern:
    """A compiled pattern."""

    def __init__(
        self, symbols: Symbols, spend: Callable[[int], None], *, backwards: bool = False
    ) -> None:
        """Compiles a pattern; `backwards` gives one that matches reversed texts.

        `spend` counts the work of matching, in characters.

        Raises:
            NotEvaluated: for a group such as `@(a|b)`.

        """
        self.symbols = symbols
        self._spend = spend
        self._accepts: list[Accepts] = []
        """What leads from a state to the next one."""
        self._loops: set[int] = set()
        """The states that any character leaves as they are: a `*` stands there."""
        self.literal: str | None = None
        for (mark, quoted), behind in pairwise(symbols):
            if not quoted and mark in "?*+@!" and behind == ("(", False):
                raise NotEvaluated
        if not any(not quoted and c in "*?[\\" for c, quoted in symbols):
            text = "".join(c for c, _ in symbols)
            self.literal = text[::-1] if backwards else text
        else:
            self._compile(backwards=backwards)

    # Compilation

    def _compile(self, *, backwards: bool) -> None:
        units = list(self._units())
        for accepts in reversed(units) if backwards else units:
            if accepts is None:
                self._loops.add(len(self._accepts))
            else:
                self._accepts.append(accepts)

    def _units(self) -> Iterator[Accepts | None]:
        """What takes each character of a text in turn; None for a `*`."""
        at, end = 0, len(self.symbols)
        while at < end:
            character, quoted = self.symbols[at]
            close = -1
            if not quoted and character == "[":
                close = self._bracket_end(at + 1, end)
            if not quoted and character == "\\" and at + 1 < end:
                at += 1
                yield self.symbols[at][0].__eq__
            elif not quoted and character in "*?":
                yield None if character == "*" else _any
            elif close > 0:
                yield self._bracket(at + 1, close)
                at = close
            else:
                yield character.__eq__
            at += 1

    def _bracket_end(self, at: int, end: int) -> int:
        position = at
        if position < end and self.symbols[position] in (("!", False), ("^", False)):
            position += 1
        if position < end and self.symbols[position] == ("]", False):
            position += 1
        while position < end:
            if position % 64 == 0:
                self._spend(64 * _SCAN)
            if self.symbols[position] == ("]", False):
                return position
            close = self._class_end(position, end)
            if close > 0:
                position = close
                continue
            position += 1
        return -1

    def _class_end(self, at: int, end: int) -> int:
        """Where `[:name:]` at a place ends, among the characters of a bracket; -1 for none."""
        if self.symbols[at] != ("[", False) or self._text(at, min(at + 2, end)) != "[:":
            return -1
        # No name of a class is longer.
        close = self._text(at + 2, min(at + 2 + _CLASS_NAME, end)).find(":]")
        return at + close + 4 if close >= 0 else -1

    def _text(self, start: int, end: int) -> str:
        return "".join(c for c, _ in self.symbols[start:end])

    def _bracket(self, low: int, high: int) -> Accepts:
        negated = self.symbols[low] in (("!", False), ("^", False))
        at = low + 1 if negated else low
        singles: set[str] = set()
        ranges: list[tuple[str, str]] = []
        classes: list[Accepts] = []
        while at < high:
            close = self._class_end(at, high)
            if close > 0:
                name = self._text(at + 2, close - 2)
                classes.append(CLASSES.get(name, lambda _: False))
                at = close
            elif at + 2 < high and self.symbols[at + 1] == ("-", False):
                ranges.append((self.symbols[at][0], self.symbols[at + 2][0]))
                at += 3
            else:
                singles.add(self.symbols[at][0])
                at += 1

        def accepts(character: str) -> bool:
            inside = (
                character in singles
                or any(first <= character <= last for first, last in ranges)
                or any(test(character) for test in classes)
            )
            return inside != negated

        return accepts

    # Matching

    def lengths(self, text: str, start: int = 0) -> Iterable[int]:
        """The ends of the matches that start at `start`, from short to long."""
        if self.literal is not None:
            if text.startswith(self.literal, start):
                yield start + len(self.literal)
            return
        states = frozenset([0])
        final = len(self._accepts)
        known: dict[tuple[frozenset[int], str], frozenset[int]] = {}
        if final == 0:
            yield start
        for at in range(start, len(text)):
            if (at - start) % 64 == 0:
                self._spend(64 * _COST)
            key = (states, text[at])
            following = known.get(key)
            if following is None:
                self._spend(_COST * len(states))
                reached = {s + 1 for s in states if s < final and self._accepts[s](text[at])}
                following = known[key] = states & self._loops | reached
            states = following
            if not states:
                return
            if final in states:
                yield at + 1

    def matches(self, text: str) -> bool:
        """True when the whole text matches."""
        if self.literal is not None:
            return text == self.literal
        return max(self.lengths(text), default=-1) == len(text)

    def first(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """The leftmost longest match at or behind `start`."""
        if self.literal is not None:
            at = text.find(self.literal, start) if self.literal else -1
            return (at, at + len(self.literal)) if at >= 0 else None
        for begin in range(start, len(text) + 1):
            end = max(self.lengths(text, begin), default=-1)
            if end > begin or (end == begin and begin < len(text)):
                return begin, end
        return None
