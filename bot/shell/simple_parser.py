"""Simple commands: assignments, words and redirections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bot.base.regex import regex
from bot.shell.cursor import Cursor
from bot.shell.redirect_parser import RedirectParser
from bot.shell.syntax import (
    ArrayLiteral,
    Assignment,
    CommandNode,
    Element,
    Function,
    Redirect,
    Simple,
    WordNode,
)
from bot.shell.word_parser import WordParser

_ASSIGNMENT = regex(r"[A-Za-z_][A-Za-z0-9_]*(\+?=|\[)")
_DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly", "command", "builtin"})
"""Commands behind which assignments may stand."""


class FunctionSource(Protocol):
    """Reads functions, which start like a simple command: `name() …`."""

    def function(self, start: int, name: str) -> Function:
        """The function of a name that has been read, from its parenthesis."""
        ...


class SimpleParser:
    """Reads simple commands."""

    def __init__(
        self,
        cursor: Cursor,
        words: WordParser,
        redirects: RedirectParser,
        functions: FunctionSource,
    ) -> None:
        self._cursor = cursor
        self._words = words
        self._redirects = redirects
        self._functions = functions

    def simple(self) -> CommandNode:
        """A simple command, or a function definition `name() …`."""
        cursor = self._cursor
        text = cursor.text
        start = end = cursor.at
        assignments: list[Assignment] = []
        words: list[WordNode | Assignment] = []
        redirects: list[Redirect] = []
        declaring = False
        while cursor.at < cursor.end:
            character = text[cursor.at]
            redirect = self._redirects.redirect() if character in "<>&0123456789{" else None
            if redirect:
                redirects.append(redirect)
                cursor.blanks()
                continue
            if character in "\n;&|)":
                break
            if character == "(":
                return self._named_function(start, assignments, words)
            assignment = self._assignment() if not words or declaring else None
            if assignment is not None:
                (words if words else assignments).append(assignment)
            else:
                word = self._words.required()
                if word.parts:
                    declares = not words and text[word.start : word.end] in _DECLARING
                    declaring = declaring or declares
                    words.append(word)
            end = cursor.at
            cursor.blanks()
        if not (assignments or words or redirects):
            if cursor.at >= cursor.end and end == start < cursor.at:
                return Simple(start, cursor.at, [], [], [])
            cursor.unexpected()
        return Simple(start, end, assignments, words, redirects)

    def _named_function(
        self,
        start: int,
        assignments: Sequence[Assignment],
        words: Sequence[WordNode | Assignment],
    ) -> Function:
        """The function whose name is the only word so far."""
        name = words[0] if len(words) == 1 and not assignments else None
        if not isinstance(name, WordNode):
            self._cursor.unexpected()
        return self._functions.function(start, self._cursor.text[name.start : name.end])

    # Assignments

    def _assignment(self) -> Assignment | None:
        """The assignment at the position; None when none stands there."""
        cursor = self._cursor
        start = cursor.at
        found = _ASSIGNMENT.match(cursor.text, start, cursor.end)
        if not found:
            return None
        operator = found.group(1)
        index = None
        if operator == "[":
            close = cursor.bracket_end(found.end())
            operator = _assigning(cursor.text, close)
            if not operator:
                return None
            index = self._words.subscript(found.end(), close)
            cursor.at = close + 1 + len(operator)
        else:
            cursor.at = found.end()
        value: WordNode | ArrayLiteral
        value = self._array() if cursor.peek("(") and index is None else self._words.word()
        name = cursor.text[start : found.start(1)]
        return Assignment(start, cursor.at, name, index, operator == "+=", value)

    def _array(self) -> ArrayLiteral:
        cursor = self._cursor
        start = cursor.at
        cursor.enter(start)
        cursor.at += 1
        elements: list[Element] = []
        while True:
            cursor.newlines()
            if cursor.at >= cursor.end:
                cursor.unclosed("`(`", start)
            if cursor.peek(")"):
                break
            elements.append(self._element())
        cursor.at += 1
        cursor.leave()
        return ArrayLiteral(start, cursor.at, elements)

    def _element(self) -> Element:
        cursor = self._cursor
        begin = cursor.at
        if cursor.peek("["):
            close = cursor.bracket_end(begin + 1)
            operator = _assigning(cursor.text, close)
            if operator:
                index = self._words.subscript(begin + 1, close)
                cursor.at = close + 1 + len(operator)
                return Element(self._words.word(), index, operator == "+=")
        return Element(self._words.required())


def _assigning(text: str, close: int) -> str:
    """The `=` or `+=` behind the `]` of a subscript; "" when none stands there."""
    if close < 0:
        return ""
    if text.startswith("+=", close + 1):
        return "+="
    return "=" if text.startswith("=", close + 1) else ""
