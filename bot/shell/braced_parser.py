"""What stands inside `${...}`."""

from __future__ import annotations

import re

from bot.shell.syntax import Parameter, Part, Text, WordNode
from bot.shell.word_parser import WordParser

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
_OPERATOR = re.compile(r":[-=?+]|[-=?+]|##?|%%?|//|/#|/%|/|\^\^?|,,?|:|@")
_BRACED: dict[tuple[str, bool], re.Pattern[str]] = {}


def _braced_run(stops: str, quoted: bool) -> re.Pattern[str]:
    key = (stops, quoted)
    if key not in _BRACED:
        quotes = '"' if quoted else "'\""
        _BRACED[key] = re.compile(r"[^\\$`" + quotes + re.escape(stops) + "]+")
    return _BRACED[key]


class BracedParser(WordParser):
    """Reads `${...}`."""

    def braced(self, quoted: bool) -> Parameter:
        """`${...}`, from its `$`."""
        text = self.text
        start = self.at
        self.at += 2
        self.count(start)
        node = Parameter(start, start, "", self.at, self.at)
        after = text[self.at + 1] if self.at + 1 < self.end else ""
        if self.peek("#") and after not in "}:%/=+?" and (after not in "-#" or self._sole(1)):
            node.length = True
            self.at += 1
        elif self.peek("!") and (after.isalnum() or after in "_@*#?!" or after == "$"):
            node.indirect = True
            self.at += 1
        found = _NAME.match(text, self.at, self.end)
        if found:
            node.name = found.group()
            node.name_start, node.name_end = found.span()
            self.at = found.end()
            if self.peek("["):
                self._index(node)
            if node.indirect and (self.peek("@}") or self.peek("*}")):
                node.names = text[self.at]
                self.at += 1
            if not self.peek("}"):
                self._operation(node, quoted)
        else:
            node.bad = True
        if not self.peek("}"):
            node.bad = True
            self._in_braces("}", quoted, quoted)
            if not self.peek("}"):
                self.fail("this `${` is never closed", start, start + 2)
        self.at += 1
        node.end = self.at
        return node

    def _sole(self, ahead: int) -> bool:
        """True when exactly one character stands between here and the closing brace."""
        return self.text.startswith("}", self.at + ahead + 1, self.end)

    def _index(self, node: Parameter) -> None:
        close = self.bracket_end(self.at + 1)
        if close < 0:
            node.bad = True
            return
        inner = self.text[self.at + 1 : close]
        if inner in ("@", "*"):
            node.every = inner
        else:
            node.index = self._slice_of(self.at + 1, close, "", quoted=False)
        self.at = close + 1

    def _operation(self, node: Parameter, quoted: bool) -> None:
        found = _OPERATOR.match(self.text, self.at, self.end)
        if not found or node.length:
            node.bad = True
            return
        operator = node.operator = found.group()
        self.at = found.end()
        if operator == ":":
            node.argument = self._in_braces(":}", True, quoted)
            if self.peek(":"):
                self.at += 1
                node.second = self._in_braces("}", True, quoted)
        elif operator.startswith("/"):
            node.argument = self._in_braces("/}", False, quoted, "/" * (operator == "//"))
            if self.peek("/"):
                self.at += 1
                node.second = self._in_braces("}", False, quoted)
        elif operator[0] in "#%^,@":
            node.argument = self._in_braces("}", False, quoted)
        else:
            node.argument = self._in_braces("}", quoted, quoted)

    def _slice_of(self, start: int, end: int, stops: str, *, quoted: bool) -> WordNode:
        node = WordNode(start, end, [])

        def read() -> None:
            nonlocal node
            node = self._in_braces(stops, quoted, quoted)

        self.bounded(start, end, read)
        return node

    def _in_braces(self, stops: str, plain_quotes: bool, quoted: bool, first: str = "") -> WordNode:
        """A word inside `${...}` up to one of `stops`.

        With `plain_quotes` a single quote is a character like others (the operand of `:-` in
        double quotes); `quoted` says that the expansion itself stands in double quotes. The
        character `first` does not stop the word where it comes first, as in `${X////_}`.
        """
        start = self.at
        parts: list[Part] = []
        run = _braced_run(stops, plain_quotes)
        if first and self.peek(first):
            self.literal(parts, start, start + 1)
        while self.at < self.end:
            character = self.text[self.at]
            if character in stops:
                break
            found = run.match(self.text, self.at, self.end)
            if found:
                self.literal(parts, self.at, found.end(), quoted and plain_quotes)
            elif character == '"':
                self.double_quoted(parts, self.at)
            elif plain_quotes and character in "\\$`":
                self.expanding(parts, '$`"\\}')
            elif not self.special(parts):
                break
        tilde = any(
            isinstance(part, Text) and not part.piece.quoted and "~" in str(part.piece.text)
            for part in parts
        )
        return WordNode(start, self.at, parts, False, tilde)

    def subscript(self, start: int, end: int) -> WordNode:
        """The text between the brackets of a subscript."""
        return self._slice_of(start, end, "", quoted=False)
