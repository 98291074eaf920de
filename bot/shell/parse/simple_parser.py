"""Simple commands: assignments, words and redirections."""

from __future__ import annotations

from collections.abc import Sequence

from bot.base.regex import regex
from bot.shell.parse.compound_parser import CompoundParser
from bot.shell.parse.cursor import Cursor
from bot.shell.parse.redirect_parser import RedirectParser
from bot.shell.parse.syntax import (
    ArrayLiteral,
    Assignment,
    CommandNode,
    Element,
    Function,
    Redirect,
    Simple,
    WordNode,
)
from bot.shell.parse.word_parser import WordParser

_ASSIGNMENT = regex(r"[A-Za-z_][A-Za-z0-9_]*(\+?=|\[)")
_OPERATOR = regex(r"\+?=")
_DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly", "command", "builtin"})
"""Commands behind which assignments may stand."""
_LIST = regex(r"[A-Za-z_][A-Za-z0-9_]*\+?=\(")
_COMPOUND = regex(r"[ \t]*(?:for|if|select|until|while)[ \t]")


class SimpleParser:
    """Reads simple commands."""

    def __init__(
        self,
        cursor: Cursor,
        words: WordParser,
        redirects: RedirectParser,
        compounds: CompoundParser,
    ) -> None:
        self._cursor = cursor
        self._words = words
        self._redirects = redirects
        self._compounds = compounds

    def simple(self) -> CommandNode:
        """A simple command, or a function definition `name() …`."""
        cursor = self._cursor
        text = cursor.text
        start = end = cursor.at
        assignments: list[Assignment] = []
        words: list[WordNode | Assignment] = []
        redirects: list[Redirect] = []
        declaring = evaluating = False
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
            listed = evaluating and _LIST.match(text, cursor.at, cursor.end)
            assignment = self._assignment() if not words or declaring or listed else None
            if assignment is not None:
                (words if words and not listed else assignments).append(assignment)
            else:
                word = self._words.required()
                if word.parts:
                    declares = not words and text[word.start : word.end] in _DECLARING
                    declaring = declaring or declares
                    evaluating = evaluating or (not words and text[word.start : word.end] == "eval")
                    words.append(word)
            end = cursor.at
            cursor.blanks()
        if evaluating and assignments and len(words) == 1:
            words = []  # `eval LIST=($TEXT)` makes the list, which bash's parser takes there.
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
        return self._compounds.function(start, self._cursor.text[name.start : name.end])

    # Assignments

    def _assignment(self) -> Assignment | None:
        """The assignment at the position; None when none stands there."""
        cursor = self._cursor
        start = cursor.at
        found = _ASSIGNMENT.match(cursor.text, start, cursor.end)
        if not found:
            return None
        operator, index = found.group(1), None
        if operator != "[":
            cursor.at = found.end()
        elif (element := self._subscript(found.end())) is not None:
            index, operator = element
        else:
            return None
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
            if cursor.at >= cursor.end or self._behind_compound(start):
                cursor.unclosed("`(`", start)
            if cursor.peek(")"):
                break
            elements.append(self._element())
        cursor.at += 1
        cursor.leave()
        return ArrayLiteral(start, cursor.at, elements)

    def _behind_compound(self, start: int) -> bool:
        """Whether a `;` ends words that begin a compound command on a later line of a list."""
        cursor = self._cursor
        line = cursor.text.rfind("\n", start, cursor.at) + 1
        return cursor.peek(";") and line > 0 and _COMPOUND.match(cursor.text, line) is not None

    def _element(self) -> Element:
        cursor = self._cursor
        if cursor.peek("[") and (element := self._subscript(cursor.at + 1)) is not None:
            index, operator = element
            return Element(self._words.word(), index, operator == "+=")
        return Element(self._words.required())

    def _subscript(self, start: int) -> tuple[WordNode, str] | None:
        """A subscript and the operator behind its `]`; None, and no step, without one."""
        cursor = self._cursor
        close = cursor.bracket_end(start)
        found = _OPERATOR.match(cursor.text, close + 1) if close >= 0 else None
        if found is None:
            return None
        index = self._words.subscript(start, close)
        cursor.at = found.end()
        return index, found.group()
