"""Regular expressions of `[[ … =~ … ]]`: POSIX extended ones, as far as they are quickly matched.

Python's `re` matches them by trying, which can take forever: what could take long is not evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from bot.base.regex import regex
from bot.shell.expand.patterns import Symbols
from bot.shell.limits import NotEvaluated

_MOST: Final = 200_000
"""Steps that a match may take at worst."""
_LONGEST: Final = 400
_DEEPEST: Final = 20
"""Characters of an expression, and groups in each other, that Python compiles quickly."""
_COUNT = regex(r"\{(\d{1,2})(,(\d{0,2}))?\}")
_CLASS = regex(r"\[:([a-z]{1,9}):\]")
_RANGE = regex(r"[0-9]-[0-9]|[a-z]-[a-z]|[A-Z]-[A-Z]")
_CLASSES: Final = {
    "alpha": "A-Za-z", "digit": "0-9", "alnum": "A-Za-z0-9", "upper": "A-Z", "lower": "a-z",
    "space": r"\s", "blank": r" \t", "xdigit": "0-9A-Fa-f",
}  # fmt: skip


def search(symbols: Symbols, text: str, spend: Callable[[int], None]) -> bool:
    r"""Whether an expression matches a part of a text; `spend` counts the work, in characters.

    Raises:
        NotEvaluated: for what implementations read differently (`\d`, a `$` in the middle,
            characters beyond ASCII), and where matching could take long.

    """
    expression = _Expression(symbols)
    # Each repetition may take any part of the text, and the whole may begin at any character of it.
    anchored = expression.pattern.startswith("\\A") and "|" not in expression.pattern
    ways = expression.repetitions + (not anchored)
    cost = expression.choices * len(symbols) * (len(text) + 1) ** max(1, ways)
    if cost > _MOST or not text.isascii():
        raise NotEvaluated
    spend(cost)
    return bool(re.search(expression.pattern, text, re.DOTALL | re.ASCII))


class _Expression:
    """An expression as Python writes it, and what bounds the work of matching it."""

    def __init__(self, symbols: Symbols) -> None:
        self.choices = 1
        self.repetitions = 0
        self._characters = "".join(c for c, _ in symbols)
        self._symbols = symbols
        if len(symbols) > _LONGEST or not self._characters.isascii():
            raise NotEvaluated
        self._at = 0
        self._depth = 0
        self._before = "start"
        parts: list[str] = []
        while self._at < len(symbols):
            character, quoted = symbols[self._at]
            self._at += 1
            if quoted or character not in "\\[.^$()|*+?{":
                part, self._before = re.escape(character), "character"
            elif character in "*+?{":
                part, self._before = self._repeated(character), "repetition"
            elif character in "^$":
                part, self._before = self._edge(character), "edge"
            elif character in "(|)":
                part, self._before = self._grouped(character)
            else:
                part, self._before = self._one(character), "character"
            parts.append(part)
        if self._depth:
            raise NotEvaluated
        self.pattern = "".join(parts)

    def _edge(self, character: str) -> str:
        """Inside an expression, `^` and `$` are what a C library makes of them."""
        behind = self._characters[self._at : self._at + 1]
        if self._before != "start" if character == "^" else behind not in ("", "|", ")"):
            raise NotEvaluated
        return r"\A" if character == "^" else r"\Z"

    def _grouped(self, character: str) -> tuple[str, str]:
        if character == "|":
            self.choices *= 2
            return "|", "start"
        self._depth += 1 if character == "(" else -1
        if not 0 <= self._depth <= _DEEPEST:
            raise NotEvaluated
        return ("(?:", "start") if character == "(" else (")", "group")

    def _repeated(self, character: str) -> str:
        before = self._before
        if before not in ("character", "group") or (before == "group" and character != "?"):
            raise NotEvaluated
        if character == "?":
            self.choices *= 2
            return "?"
        self.repetitions += 1
        if character != "{":
            return character
        found = _COUNT.match(self._characters, self._at - 1)
        if found is None or (found[3] and int(found[3]) < int(found[1])):
            raise NotEvaluated
        self._at = found.end()
        return found[0]

    def _one(self, character: str) -> str:
        """What stands for one character: `.`, a list in brackets, or one behind a backslash."""
        if character == ".":
            return "."
        if character == "\\":
            escaped = self._characters[self._at : self._at + 1]
            if not escaped or escaped.isalnum() or escaped in "<>`'":
                raise NotEvaluated
            self._at += 1
            return re.escape(escaped)
        return self._listed()

    def _listed(self) -> str:
        text, start = self._characters, self._at
        negated = text.startswith("^", start)
        at = start + negated
        members: list[str] = []
        while at == start + negated or not text.startswith("]", at):
            if at >= len(text):
                raise NotEvaluated
            if found := _CLASS.match(text, at):
                if found[1] not in _CLASSES:
                    raise NotEvaluated
                members.append(_CLASSES[found[1]])
                at = found.end()
            elif found := _RANGE.match(text, at):
                if found[0][0] > found[0][2]:
                    raise NotEvaluated
                members.append(found[0])
                at = found.end()
            elif text[at] in "[\\" or (text[at] == "-" and text[at + 1 : at + 2] != "]"):
                raise NotEvaluated
            else:
                members.append(re.escape(text[at]))
                at += 1
        if any(quoted and not c.isalnum() for c, quoted in self._symbols[start : at + 1]):
            raise NotEvaluated
        self._at = at + 1
        return f"[{'^' if negated else ''}{''.join(members)}]"
