"""What stands inside `${...}`."""

from __future__ import annotations

import re
from typing import Protocol

from bot.base.regex import regex
from bot.shell.parse.cursor import Cursor
from bot.shell.parse.syntax import Parameter, Text, WordNode, WordPart

_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
_ALONE = regex(r"([A-Za-z_][A-Za-z0-9_]*)\}")
_OPERATOR = regex(r":[-=?+]|[-=?+]|##?|%%?|//|/#|/%|/|\^\^?|,,?|:|@")
_BRACED: dict[tuple[str, bool], re.Pattern[str]] = {}


def _braced_run(stops: str, quoted: bool) -> re.Pattern[str]:
    key = (stops, quoted)
    if key not in _BRACED:
        quotes = '"' if quoted else "'\""
        _BRACED[key] = re.compile(r"[^\\$`" + quotes + re.escape(stops) + "]+")
    return _BRACED[key]


class Words(Protocol):
    """Reads the parts of words, which also stand inside `${...}`."""

    def literal(self, parts: list[WordPart], start: int, end: int, quoted: bool = False) -> None:
        """Adds the characters [start, end) of the text, and steps behind them."""
        ...

    def double_quoted(self, parts: list[WordPart], opening: int) -> None:
        """Text in double quotes; the position is on the opening quote."""
        ...

    def expanding(self, parts: list[WordPart], escapable: str) -> None:
        """`$`, backquotes or a backslash where the rules of double quotes hold."""
        ...

    def special(self, parts: list[WordPart]) -> bool:
        """A quote, an escape, `$` or backquotes in unquoted text; False for anything else."""
        ...


class BracedParser:
    """Reads `${...}`."""

    def __init__(self, cursor: Cursor, words: Words) -> None:
        self._cursor = cursor
        self._words = words

    def braced(self, quoted: bool) -> Parameter:
        """`${...}`, from its `$`."""
        cursor = self._cursor
        text = cursor.text
        start = cursor.at
        cursor.at += 2
        cursor.count(start)
        if plain := _ALONE.match(text, cursor.at, cursor.end):
            cursor.at = plain.end()
            return Parameter(start, cursor.at, plain[1], *plain.span(1), plain=True)
        node = Parameter(start, start, "", cursor.at, cursor.at)
        after = text[cursor.at + 1] if cursor.at + 1 < cursor.end else ""
        sole = text.startswith("}", cursor.at + 2, cursor.end)
        if cursor.peek("#") and after not in "}:%/=+?" and (after not in "-#" or sole):
            node.length = True
            cursor.at += 1
        elif cursor.peek("!") and (after.isalnum() or after in "_@*#?!" or after == "$"):
            node.indirect = True
            cursor.at += 1
        found = _NAME.match(text, cursor.at, cursor.end)
        if found:
            node.name = found.group()
            node.name_start, node.name_end = found.span()
            cursor.at = found.end()
            if cursor.peek("["):
                self._index(node)
            if node.indirect and (cursor.peek("@}") or cursor.peek("*}")):
                node.names = text[cursor.at]
                cursor.at += 1
            if not cursor.peek("}"):
                self._operation(node, quoted)
        else:
            node.bad = True
        if not cursor.peek("}"):
            node.bad = True
            self._in_braces("}", quoted, quoted)
            if not cursor.peek("}"):
                cursor.unclosed("`${`", start, start + 2)
        cursor.at += 1
        node.end = cursor.at
        return node

    def _index(self, node: Parameter) -> None:
        cursor = self._cursor
        close = cursor.bracket_end(cursor.at + 1)
        if close < 0:
            node.bad = True
            return
        inner = cursor.text[cursor.at + 1 : close]
        if inner in ("@", "*"):
            node.every = inner
        else:
            node.index = self.subscript(cursor.at + 1, close)
        cursor.at = close + 1

    def _operation(self, node: Parameter, quoted: bool) -> None:
        cursor = self._cursor
        found = _OPERATOR.match(cursor.text, cursor.at, cursor.end)
        if not found or node.length:
            node.bad = True
            return
        operator = node.operator = found.group()
        cursor.at = found.end()
        if operator == ":":
            node.argument = self._in_braces(":}", True, quoted)
            if cursor.skip(":"):
                node.second = self._in_braces("}", True, quoted)
        elif operator.startswith("/"):
            node.argument = self._in_braces("/}", False, quoted, "/" * (operator == "//"))
            if cursor.skip("/"):
                node.second = self._in_braces("}", False, quoted)
        elif operator[0] in "#%^,@":
            node.argument = self._in_braces("}", False, quoted)
        else:
            node.argument = self._in_braces("}", quoted, quoted)

    def subscript(self, start: int, end: int) -> WordNode:
        """The text between the brackets of a subscript."""
        node = WordNode(start, end, [])

        def read() -> None:
            nonlocal node
            node = self._in_braces("", False, False)

        self._cursor.bounded(start, end, read)
        return node

    def _in_braces(self, stops: str, plain_quotes: bool, quoted: bool, first: str = "") -> WordNode:
        """A word inside `${...}` up to one of `stops`.

        With `plain_quotes` a single quote is a character like others (the operand of `:-` in
        double quotes); `quoted` says that the expansion itself stands in double quotes. The
        character `first` does not stop the word where it comes first, as in `${X////_}`.
        """
        cursor = self._cursor
        start = cursor.at
        parts: list[WordPart] = []
        run = _braced_run(stops, plain_quotes)
        if first and cursor.peek(first):
            self._words.literal(parts, start, start + 1)
        while cursor.at < cursor.end:
            character = cursor.text[cursor.at]
            if character in stops:
                break
            found = run.match(cursor.text, cursor.at, cursor.end)
            if found:
                self._words.literal(parts, cursor.at, found.end(), quoted and plain_quotes)
            elif character == '"':
                self._words.double_quoted(parts, cursor.at)
            elif plain_quotes and character in "\\$`":
                self._words.expanding(parts, '$`"\\}')
            elif not self._words.special(parts):
                break
        tilde = any(
            isinstance(part, Text) and not part.piece.quoted and "~" in str(part.piece.text)
            for part in parts
        )
        return WordNode(start, cursor.at, parts, False, tilde)
