"""The syntax of the extended regular expressions of `=~`: symbols to a tree.

The grammar is that of POSIX.1-2017, section 9.5.3. What regcomp may refuse, or what the libraries
read differently, is not evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bot.shell.limits import NotEvaluated
from bot.shell.patterns import CLASSES, Accepts, Symbols

_REPEATS: Final = 255
"""The largest count of an interval that POSIX promises (RE_DUP_MAX)."""

_OPERATORS: Final[dict[str, tuple[int, int | None] | None]] = {
    "*": (0, None),
    "+": (1, None),
    "?": (0, 1),
    "{": None,
}
"""Repetitions, with the least and the most rounds; those of an interval are read."""


@dataclass(frozen=True, slots=True)
class One:
    """One character."""

    accepts: Accepts


@dataclass(frozen=True, slots=True)
class Anchor:
    """`^` or `$`."""

    at: Literal["start", "end"]


@dataclass(frozen=True, slots=True)
class Sequenced:
    """One part behind the other."""

    parts: tuple[RegexNode, ...]


@dataclass(frozen=True, slots=True)
class Alternation:
    """One of several alternatives."""

    options: tuple[RegexNode, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part several times; `most` is None without a bound."""

    part: RegexNode
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Capture:
    """A group; 0 is the whole expression."""

    number: int
    part: RegexNode


RegexNode: TypeAlias = One | Anchor | Sequenced | Alternation | Repeat | Capture


class RegexParser:
    """Reads the symbols of an expression into its tree."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._at = 0
        self.groups = 0
        self.plain = True
        """False when alternatives, or groups inside repeated groups, leave ways to choose from."""
        self._anchors = 0
        self.nested = False
        """True when what is left of a group differs between libraries: a repeated group that holds
        another one, or a group with an interval."""

    def whole(self) -> RegexNode:
        """The tree; raises `NotEvaluated` where regcomp may refuse or differ."""
        node = self._choice()
        if self._at < len(self._symbols):
            raise NotEvaluated  # A `)` without its `(`.
        return node

    def _peek(self) -> str:
        """The next character when it is active, else nothing."""
        if self._at >= len(self._symbols):
            return ""
        character, quoted = self._symbols[self._at]
        return "" if quoted else character

    def _choice(self) -> RegexNode:
        options = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            self.plain = False
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Alternation(tuple(options))

    def _sequence(self) -> RegexNode:
        parts: list[RegexNode] = []
        while self._at < len(self._symbols) and self._peek() not in ("|", ")"):
            groups, anchors = self.groups, self._anchors
            atom = self._atom()
            if self._peek() in _OPERATORS:
                if self._anchors > anchors:
                    raise NotEvaluated  # glibc loses matches of repeated anchors.
                counted = self._peek() == "{"
                atom = self._repeated(atom)
                # glibc reports other places for counted groups than the leftmost longest ones.
                if self.groups - groups > (0 if counted else 1):
                    self.plain, self.nested = False, True
            parts.append(atom)
        return Sequenced(tuple(parts))

    def _repeated(self, atom: RegexNode) -> RegexNode:
        operator = self._peek()
        self._at += 1
        least, most = _OPERATORS[operator] or self._bounds()
        if self._peek() in _OPERATORS:
            raise NotEvaluated
        return Repeat(atom, least, most)

    def _bounds(self) -> tuple[int, int | None]:
        """The numbers of an interval; its `{` is read already."""
        inner = ""
        while (character := self._peek()) != "}":
            if not character or character not in "0123456789,":
                raise NotEvaluated
            inner += character
            self._at += 1
        self._at += 1
        low, comma, high = inner.partition(",")
        if not low or "," in high:
            raise NotEvaluated
        least = int(low[:4])
        most = least if not comma else int(high[:4]) if high else None
        if max(least, most or 0) > _REPEATS or (most is not None and most < least):
            raise NotEvaluated
        return least, most

    def _atom(self) -> RegexNode:
        character, quoted = self._symbols[self._at]
        active = "" if quoted else character
        self._at += 1
        match active:
            case "(":
                return self._group()
            case "[":
                return One(self._bracket())
            case ".":
                return One(lambda _: True)
            case "^" | "$":
                self._anchors += 1
                return Anchor("start" if active == "^" else "end")
            case "\\":
                return One(self._escaped())
        if active in _OPERATORS:
            raise NotEvaluated
        return One(character.__eq__)

    def _group(self) -> RegexNode:
        self.groups += 1
        number = self.groups
        inside = self._choice()
        if self._peek() != ")":
            raise NotEvaluated
        self._at += 1
        return Capture(number, inside)

    def _escaped(self) -> Accepts:
        if self._at >= len(self._symbols) or self._symbols[self._at][0].isalnum():
            raise NotEvaluated  # `\w`, `\<` and back-references are not POSIX's.
        character = self._symbols[self._at][0]
        if character in "<>`'":
            raise NotEvaluated
        self._at += 1
        return character.__eq__

    def _bracket(self) -> Accepts:
        """What `[…]` accepts; its `[` is read already. Quotes make no difference inside."""
        end = self._bracket_end()
        inner = "".join(character for character, _ in self._symbols[self._at : end])
        self._at = end + 1
        refused = inner.startswith("^")
        accepted = _members(inner.removeprefix("^"))
        if refused:
            return lambda c: not any(accepts(c) for accepts in accepted)
        return lambda c: any(accepts(c) for accepts in accepted)

    def _bracket_end(self) -> int:
        at = self._at
        for first in ("^", "]"):
            if at < len(self._symbols) and self._symbols[at][0] == first:
                at += 1
        while at < len(self._symbols):
            pair = "".join(character for character, _ in self._symbols[at : at + 2])
            if pair in ("[.", "[="):
                raise NotEvaluated
            if pair == "[:":
                at += 2
                while "".join(c for c, _ in self._symbols[at : at + 2]) != ":]":
                    at += 1
                    if at >= len(self._symbols):
                        raise NotEvaluated
                at += 1
            elif pair.startswith("]"):
                return at
            at += 1
        raise NotEvaluated


def _members(inner: str) -> list[Accepts]:
    """The characters, ranges and classes between brackets."""
    found: list[Accepts] = []
    at = 0
    while at < len(inner):
        if inner.startswith("[:", at):
            name = inner[at + 2 : inner.index(":]", at)]
            if name not in CLASSES:
                raise NotEvaluated
            found.append(CLASSES[name])
            at += len(name) + 4
        elif inner[at + 1 : at + 2] == "-" and at + 2 < len(inner):
            low, high = inner[at], inner[at + 2]
            if low > high or high == "[":
                raise NotEvaluated
            found.append(lambda c, low=low, high=high: low <= c <= high)  # type: ignore[misc]
            at += 3
        else:
            found.append(inner[at].__eq__)
            at += 1
    return found
