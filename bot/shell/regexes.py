"""The extended regular expressions of `=~`, matched as shell patterns.

An expression is rewritten as the extended pattern that matches the same texts, so that one matcher,
which follows all its states at once, does both. The grammar is that of POSIX.1-2017, section 9.5.3.
Intervals, anchors inside of an expression, and what regcomp may refuse or the libraries read
differently are not evaluated; what the groups matched is not known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bot.shell.limits import NotEvaluated
from bot.shell.patterns import CLASSES, Pattern, Symbols

_REPEATED: Final = ("*", "+", "?")
_COST: Final = 4
"""How much dearer the search of a symbol at a character is than copying one."""
_WORK: Final = 500_000
"""Symbols times characters of one search at most."""


def search(symbols: Symbols, text: str, work: Callable[[int], None]) -> bool | None:
    """Whether an expression matches somewhere; None when that is not evaluated.

    Quoted characters stand for themselves. `work` is told how much is to be done, and may raise.
    """
    effort = len(symbols) * (len(text) + 1)
    if effort > _WORK:
        return None
    work(_COST * effort)
    try:
        patterns = _Expression(symbols).patterns()
        return any(Pattern(pattern, work).matches(text) for pattern in patterns)
    except (NotEvaluated, RecursionError):
        return None


def _active(text: str) -> list[tuple[str, bool]]:
    return [(character, False) for character in text]


class _Expression:
    """An expression being rewritten."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._at = 0

    def patterns(self) -> list[Symbols]:
        """A pattern of the whole text for each alternative; raises `NotEvaluated`."""
        found = [self._anywhere()]
        while self._taken("|"):
            found.append(self._anywhere())
        if self._at < len(self._symbols):
            raise NotEvaluated  # A `)` without its `(`.
        return found

    def _peek(self) -> str:
        """The next character when it is active, else nothing."""
        character, quoted = self._symbols[self._at] if self._at < len(self._symbols) else ("", True)
        return "" if quoted else character

    def _taken(self, character: str) -> bool:
        taken = self._peek() == character
        self._at += taken
        return taken

    def _anywhere(self) -> Symbols:
        """An alternative, from the start to the end where it is anchored there."""
        start = [] if self._taken("^") else _active("*")
        middle = self._sequence()
        return [*start, *middle, *([] if self._taken("$") else _active("*"))]

    def _sequence(self) -> Symbols:
        found: list[tuple[str, bool]] = []
        while self._at < len(self._symbols) and self._peek() not in ("|", ")", "$"):
            atom = self._atom()
            repeated = self._peek()
            if repeated in _REPEATED:
                self._at += 1
                atom = [(repeated, False), ("(", False), *atom, (")", False)]
                if self._peek() in _REPEATED:
                    raise NotEvaluated
            found += atom
        return found

    def _atom(self) -> Symbols:
        character, quoted = self._symbols[self._at]
        self._at += 1
        if quoted:
            return [(character, True)]
        match character:
            case "(":
                return self._group()
            case "[":
                return self._bracket()
            case ".":
                return [("?", False)]
            case "\\":
                return self._escaped()
            case "*" | "+" | "?" | "{" | "^":
                raise NotEvaluated
        return [(character, True)]

    def _group(self) -> Symbols:
        found = [*_active("@("), *self._sequence()]
        while self._taken("|"):
            found += [("|", False), *self._sequence()]
        if not self._taken(")"):
            raise NotEvaluated
        return [*found, (")", False)]

    def _escaped(self) -> Symbols:
        character = self._symbols[self._at][0] if self._at < len(self._symbols) else ""
        if not character or character.isalnum() or character in "<>`'":
            raise NotEvaluated  # `\w`, `\<` and back-references are not POSIX's.
        self._at += 1
        return [(character, True)]

    def _bracket(self) -> Symbols:
        """What stands behind a `[`. Quotes make no difference inside."""
        text = "".join(character for character, _ in self._symbols[self._at :])
        at = int(text.startswith("^"))
        found = _active("[^" if at else "[")
        first = at
        while not text.startswith("]", at) or at == first:
            if at >= len(text) or text.startswith(("[.", "[="), at):
                raise NotEvaluated
            if text.startswith("[:", at):
                name, closed, _ = text[at + 2 :].partition(":]")
                if not closed or name not in CLASSES:
                    raise NotEvaluated
                found += _active(f"[:{name}:]")
                at += len(name) + 4
            elif text.startswith("-", at + 1) and not text.startswith("]", at + 2):
                low, high = text[at], text[at + 2 : at + 3]
                if not high or low > high or high == "[":
                    raise NotEvaluated
                found += [(low, True), ("-", False), (high, True)]
                at += 3
            else:
                found.append((text[at], True))
                at += 1
        self._at += at + 1
        return [*found, ("]", False)]
