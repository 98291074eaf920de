"""`$(…)`, `<(…)` and backquotes: scripts inside words."""

from __future__ import annotations

from typing import Protocol

from bot.base.messages import message
from bot.shell.parse.cursor import Cursor
from bot.shell.parse.places import Places, shift
from bot.shell.parse.syntax import Script, Substitution
from bot.shell.source import Span


class ScriptSource(Protocol):
    """Reads scripts; words need it for their substitutions."""

    def script(self) -> Script:
        """A list of commands up to a closing token, which is left to the caller."""
        ...

    def nested(self, text: str, base: int) -> Script:
        """Another text, which starts at `base`, as a script of its own."""
        ...


class SubstitutionParser:
    """Reads substitutions."""

    def __init__(self, cursor: Cursor, scripts: ScriptSource, places: Places, base: int) -> None:
        """Takes where the text starts in the coordinates of `places`."""
        self._cursor = cursor
        self._scripts = scripts
        self._places = places
        self._base = base

    def command(self) -> Substitution:
        """`$(…)`."""
        return self._parenthesized("`$(`")

    def process(self, direction: str) -> Substitution:
        """`<(…)` or `>(…)`."""
        node = self._parenthesized(f"`{direction}(`")
        node.process = direction
        return node

    def _parenthesized(self, name: str) -> Substitution:
        cursor = self._cursor
        start = cursor.at
        cursor.at += 2
        cursor.count(start)
        cursor.enter(start)
        body = self._scripts.script()
        if cursor.at >= cursor.end:
            cursor.unclosed(name, start, start + 2)
        cursor.take(")")
        cursor.leave()
        return Substitution(start, cursor.at, body)

    def backquotes(self, *, quoted: bool) -> Substitution:
        """Backquotes; `quoted` says that they stand in double quotes."""
        cursor = self._cursor
        start = cursor.at
        text = cursor.text
        at = start + 1
        while at < cursor.end and text[at] != "`":
            at += 2 if text[at] == "\\" else 1
        if at >= cursor.end:
            cursor.unclosed(message("backquote"), start)
        cursor.count(start)
        cursor.enter(start)
        if "\\" not in text[start + 1 : at]:
            body = Script(start + 1, at, [])

            def read() -> None:
                nonlocal body
                body = self._scripts.script()
                if cursor.at < cursor.end:
                    cursor.unexpected()

            cursor.bounded(start + 1, at, read)
        else:
            body = self._unescaped(start + 1, at, '$`\\"' if quoted else "$`\\")
        cursor.leave()
        cursor.at = at + 1
        return Substitution(start, cursor.at, body)

    def _unescaped(self, start: int, end: int, escapable: str) -> Script:
        """Backquotes with escapes: the text without them is parsed in virtual coordinates."""
        pieces: list[tuple[str, Span, bool]] = []
        at = begin = start
        text, base = self._cursor.text, self._base
        while at < end:
            if text[at] == "\\" and at + 1 < end and text[at + 1] in escapable:
                pieces.append((text[begin:at], Span(base + begin, base + at), True))
                begin = at + 1
                at += 1
            at += 1
        pieces.append((text[begin:end], Span(base + begin, base + end), True))
        inner = "".join(piece for piece, _, _ in pieces)
        place = self._places.allocate(pieces)
        body = self._scripts.nested(inner, place)
        shift(body, place, len(inner))
        return body
