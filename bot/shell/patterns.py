"""Shell patterns: matching without backtracking, so that no pattern takes long.

A pattern is a sequence of (character, quoted) pairs; quoted characters stand for themselves. It
is compiled to a small automaton whose states are followed all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
            NotEvaluated: for `!(…)`.

        """
        self.symbols = symbols
        self._spend = spend
        self._steps: list[list[tuple[Accepts, int]]] = [[]]
        self._free: list[list[int]] = [[]]
        self.literal: str | None = None
        if not any(not quoted and c in "*?[\\+@!" for c, quoted in symbols):
            text = "".join(c for c, _ in symbols)
            self.literal = text[::-1] if backwards else text
        self._backwards = backwards
        self._final = self._sequence(0, 0, len(symbols)) if self.literal is None else 0

    # Compilation

    def _state(self) -> int:
        self._steps.append([])
        self._free.append([])
        return len(self._steps) - 1

    def _sequence(self, state: int, start: int, end: int) -> int:
        """Adds the pattern [start, end) behind `state`; returns the state behind it."""
        units = self._units(start, end)
        for kind, low, high in reversed(units) if self._backwards else units:
            state = self._unit(state, kind, low, high)
        return state

    def _units(self, start: int, end: int) -> list[tuple[str, int, int]]:
        units: list[tuple[str, int, int]] = []
        at = start
        while at < end:
            character, quoted = self.symbols[at]
            kind = ""
            following = at + 1
            if not quoted and character == "\\" and at + 1 < end:
                units.append(("", at + 1, at + 2))
                at += 2
                continue
            if not quoted and character in "?*+@!":
                close = self._group_end(at + 1, end)
                if close > 0:
                    kind, following = character + "(", close + 1
            if not kind and not quoted and character in "*?":
                kind = character
            if not kind and not quoted and character == "[":
                close = self._bracket_end(at + 1, end)
                if close > 0:
                    kind, following = "[", close + 1
            units.append((kind, at, following))
            at = following
        return units

    def _group_end(self, at: int, end: int) -> int:
        if at >= end or self.symbols[at] != ("(", False):
            return -1
        depth = 0
        for position in range(at, end):
            if position % 64 == 0:
                self._spend(64 * _SCAN)
            if self.symbols[position] == ("(", False):
                depth += 1
            elif self.symbols[position] == (")", False):
                depth -= 1
                if depth == 0:
                    return position
        return -1

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

    def _unit(self, state: int, kind: str, low: int, high: int) -> int:
        if kind == "*":
            self._steps[state].append((_any, state))
            return state
        if kind in ("", "?", "["):
            target = self._state()
            if kind == "":
                accepts: Accepts = self.symbols[low][0].__eq__
            elif kind == "?":
                accepts = _any
            else:
                accepts = self._bracket(low + 1, high - 1)
            self._steps[state].append((accepts, target))
            return target
        if kind == "!(":
            raise NotEvaluated
        return self._group(state, kind, low + 2, high - 1)

    def _group(self, state: int, kind: str, low: int, high: int) -> int:
        # A state of its own on both sides keeps loops of the group apart from its neighbours.
        entry, leave = self._state(), self._state()
        self._free[state].append(entry)
        begin = low
        depth = 0
        for at in range(low, high + 1):
            symbol = self.symbols[at] if at < high else ("|", False)
            depth += (symbol == ("(", False)) - (symbol == (")", False))
            if symbol == ("|", False) and (depth == 0 or at == high):
                branch = self._state()
                self._free[entry].append(branch)
                self._free[self._sequence(branch, begin, at)].append(leave)
                begin = at + 1
        if kind in ("?(", "*("):
            self._free[entry].append(leave)
        if kind in ("+(", "*("):
            self._free[leave].append(entry)
        target = self._state()
        self._free[leave].append(target)
        return target

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

    def _closure(self, states: Iterable[int]) -> frozenset[int]:
        seen = set(states)
        waiting = list(seen)
        while waiting:
            for target in self._free[waiting.pop()]:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return frozenset(seen)

    def lengths(self, text: str, start: int = 0) -> Iterable[int]:
        """The ends of the matches that start at `start`, from short to long."""
        if self.literal is not None:
            if text.startswith(self.literal, start):
                yield start + len(self.literal)
            return
        states = self._closure([0])
        known: dict[tuple[frozenset[int], str], frozenset[int]] = {}
        if self._final in states:
            yield start
        for at in range(start, len(text)):
            if (at - start) % 64 == 0:
                self._spend(64 * _COST)
            key = (states, text[at])
            following = known.get(key)
            if following is None:
                self._spend(_COST * len(states))
                reached = {t for s in states for accepts, t in self._steps[s] if accepts(text[at])}
                following = known[key] = self._closure(reached)
            states = following
            if not states:
                return
            if self._final in states:
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
