"""`[[ … ]]`."""

from __future__ import annotations

from collections.abc import Callable

from bot.base.regex import regex
from bot.shell.parse.cursor import Cursor
from bot.shell.parse.syntax import Condition, Conditional, Logic, Test, WordNode
from bot.shell.parse.word_parser import WordParser

_UNARY = regex(r"-[a-hknoprstuvwxzGLNORS](?=[ \t\n])")
_BINARY = regex(r"(==|=~|!=|=|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))(?=[ \t\n\"'$])|<|>")


class ConditionParser:
    """Reads the conditions of `[[ ]]`."""

    def __init__(self, cursor: Cursor, words: WordParser) -> None:
        self._cursor = cursor
        self._words = words

    def conditional(self, start: int) -> Conditional:
        """What stands behind the `[[` at `start`."""
        cursor = self._cursor
        condition = self._or(start)
        cursor.newlines()
        if cursor.at >= cursor.end:
            cursor.unclosed("`[[`", start, start + 2)
        cursor.take("]]")
        return Conditional(start, cursor.at, condition)

    def _or(self, start: int) -> Condition:
        return self._logic_chain("||", self._and, start)

    def _and(self, start: int) -> Condition:
        return self._logic_chain("&&", self._not, start)

    def _logic_chain(
        self, operator: str, operand: Callable[[int], Condition], start: int
    ) -> Condition:
        cursor = self._cursor
        operands = [operand(start)]
        cursor.newlines()
        while cursor.skip(operator):
            operands.append(operand(start))
            cursor.newlines()
        return operands[0] if len(operands) == 1 else Logic(operator, operands)

    def _not(self, start: int) -> Condition:
        cursor = self._cursor
        cursor.newlines()
        negated = False
        while cursor.peek("!") and cursor.keyword() == "!":
            cursor.at += 1
            negated = not negated
            cursor.newlines()
        if cursor.peek("("):
            opening = cursor.at
            cursor.enter(opening)
            cursor.at += 1
            node = self._or(start)
            cursor.newlines()
            cursor.take(")")
            cursor.leave()
        else:
            node = self._primary(start)
        return Logic("!", [node]) if negated else node

    def _primary(self, start: int) -> Condition:
        cursor = self._cursor
        begin = cursor.at
        if cursor.at >= cursor.end:
            cursor.unclosed("`[[`", start, start + 2)
        found = _UNARY.match(cursor.text, cursor.at, cursor.end)
        if found:
            cursor.at = found.end()
            cursor.newlines()
            if not (cursor.peek("]]") or _BINARY.match(cursor.text, cursor.at, cursor.end)):
                operand = self._operand()
                return Test(begin, cursor.at, found.group(), [operand])
            cursor.at = begin
        left = self._operand()
        cursor.newlines()
        found = _BINARY.match(cursor.text, cursor.at, cursor.end)
        if not found:
            return Test(begin, left.end, "", [left])
        cursor.at = found.end()
        cursor.newlines()
        operator = found.group()
        if operator == "=~":
            right = self._words.regex()
            if right.end == right.start:
                cursor.unexpected()
        else:
            kept, cursor.extglob = cursor.extglob, cursor.extglob or operator in ("==", "=", "!=")
            right = self._operand()
            cursor.extglob = kept
        return Test(begin, cursor.at, operator, [left, right])

    def _operand(self) -> WordNode:
        cursor = self._cursor
        if cursor.peek("]]") and cursor.keyword() == "]]":
            cursor.unexpected()
        return self._words.required()
