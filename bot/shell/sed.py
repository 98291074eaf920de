"""The substitutions of `sed`, as far as they mean the same in every dialect."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_COMMAND = re.compile(
    r"\s*s([/|#,:@!])((?:(?!\1)[^\\\n]|\\.)*)\1((?:(?!\1)[^\\\n]|\\.)*)\1(g?)[ \t]*(?:;|\Z)"
)
_ALTERNATIVES = re.compile(r"\(([\w-]+(?:\|[\w-]+)+)\)(?![*+?{])")
_BRACKET = re.compile(r"\[\^?\]?[^\]\[\\]*\]")
_STARS = 3
"""Repetitions in one pattern: each multiplies the time by the length of the line."""
_WORK = 1_000_000
_LITERALS = ".*[]^$/-\\"


class Refused(Exception):  # noqa: N818 - a signal inside the reader
    """The reader does not carry out this use of the command."""


@dataclass(frozen=True)
class Substitution:
    """`s/pattern/replacement/`."""

    pattern: re.Pattern[str]
    stars: int
    insert: Callable[[re.Match[str]], str]
    count: int
    """How many places of a line are replaced; 0 for all."""

    def line(self, text: str) -> str:
        """A line with what is replaced in it.

        Raises:
            Refused: it would take too long.

        """
        if len(text) ** (1 + self.stars) > _WORK:
            raise Refused
        return self.pattern.sub(self.insert, text, count=self.count)


def substitutions(script: str, *, extended: bool) -> list[Substitution]:
    """The commands of a script that holds nothing but substitutions.

    Raises:
        Refused: it holds something else, or what sed and `re` take differently.

    """
    result: list[Substitution] = []
    at = 0
    while at < len(script):
        found = _COMMAND.match(script, at)
        if found is None:
            raise Refused
        mark, pattern, replacement, everywhere = found.groups()
        source, stars, groups = _Pattern(pattern.replace("\\" + mark, mark), extended).read()
        insert = _replacement(replacement.replace("\\" + mark, mark), groups)
        result.append(Substitution(re.compile(source), stars, insert, 0 if everywhere else 1))
        at = found.end()
    if not result:
        raise Refused
    return result


def _replacement(text: str, groups: int) -> Callable[[re.Match[str]], str]:
    parts: list[str | int] = []
    for found in re.finditer(r"\\(.)|&|[^\\&]+", text):
        escaped = found.group(1)
        if escaped is None:
            parts.append(0 if found.group() == "&" else found.group())
        elif escaped.isdigit():
            if not 1 <= int(escaped) <= groups:
                raise Refused
            parts.append(int(escaped))
        elif escaped.isalnum():
            # `\U`, `\n` and their like.
            raise Refused
        else:
            parts.append(escaped)
    return lambda found: "".join(p if isinstance(p, str) else found.group(p) for p in parts)


class _Pattern:
    """A pattern of characters, brackets, repeated single characters and plain groups.

    Alternatives are taken only where no text begins with another: sed takes the longest match and
    `re` the first one.
    """

    def __init__(self, text: str, extended: bool) -> None:
        self.text = text
        self.extended = extended
        self.source: list[str] = []
        self.stars = 0
        self.groups = 0
        self.open = False
        self.repeatable = False

    def read(self) -> tuple[str, int, int]:
        """The pattern as `re` writes it, its repetitions and its groups."""
        at = 0
        while at < len(self.text):
            at = self._step(at)
        if self.open or not self.text:
            raise Refused
        return "".join(self.source), self.stars, self.groups

    def _step(self, at: int) -> int:
        c = self.text[at]
        repeatable = self.repeatable
        self.repeatable = False
        if c == "\\":
            return self._escape(at)
        if c == "[":
            return self._bracket(at)
        if c == "*" or (self.extended and c in "+?"):
            self.stars += 1
            if not repeatable or self.stars > _STARS:
                raise Refused
            self.source.append(c)
        elif self.extended and c in "()":
            found = _ALTERNATIVES.match(self.text, at)
            if found is not None:
                return self._alternatives(found)
            self._group(c)
        elif (
            (self.extended and c in "{}|")
            or (c == "^" and at)
            or (c == "$" and at < len(self.text) - 1)
        ):
            raise Refused
        else:
            self.source.append(c if c in "^$." else re.escape(c))
            self.repeatable = c not in "^$"
        return at + 1

    def _escape(self, at: int) -> int:
        c = self.text[at + 1 : at + 2]
        if c and not self.extended and c in "()":
            self._group(c)
        elif c and (c in _LITERALS or (self.extended and c in "+?(){}|")):
            self.source.append(re.escape(c))
            self.repeatable = True
        else:
            raise Refused
        return at + 2

    def _group(self, c: str) -> None:
        if self.open == (c == "("):
            raise Refused
        self.open = c == "("
        self.groups += self.open
        self.source.append(c)

    def _alternatives(self, found: re.Match[str]) -> int:
        texts = found.group(1).split("|")
        if self.open or any(a is not b and b.startswith(a) for a in texts for b in texts):
            raise Refused
        self.groups += 1
        self.source.append("(" + "|".join(map(re.escape, texts)) + ")")
        return found.end()

    def _bracket(self, at: int) -> int:
        found = _BRACKET.match(self.text, at)
        if found is None:
            raise Refused
        inner = found.group()[1:-1]
        negated = "^" if inner.startswith("^") else ""
        inner = inner.removeprefix("^")
        if not inner:
            raise Refused
        self.source.append("[" + negated + re.sub(r"[\]\[^&~|]", r"\\\g<0>", inner) + "]")
        self.repeatable = True
        return found.end()
