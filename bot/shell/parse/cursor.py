"""A position in a text: blanks, comments, line ends, reserved words, matching brackets."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from bot.base.messages import message
from bot.base.regex import regex
from bot.shell.limits import LimitReached, ShellLimits
from bot.shell.source import Span
from bot.shell.words import Comment

_BLANKS = regex(r"(?:[ \t]+|\\\n)+")
_COMMENT = regex(r"#[^\n]*")
_PARENS = regex(r"[()'\"\\`]")
_KEYWORD = regex(
    r"(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|time|coproc"
    r"|in|\{|\}|!|\[\[|\]\])(?=[\s;&|()<>]|\\\n|\Z)"
)
_TOKEN = regex(r"[;&|<>]{1,2}|[()]|[^\s;&|()<>]+")
_BRACKETS = regex(r"[\[\]'\"\\\n]")


class SyntaxFault(Exception):  # noqa: N818 - bash's own term is "syntax error"
    """Bash would refuse the text, for what stands at [start, end)."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


class Cursor:
    """A position in a text, and the bounds of the part that is being parsed."""

    __slots__ = (
        "at", "comments", "depth", "end", "extglob", "limits", "parts", "pending", "text",
    )  # fmt: skip

    def __init__(self, text: str, limits: ShellLimits) -> None:
        self.text = text
        self.at = 0
        self.end = len(text)
        self.limits = limits
        self.comments: list[Comment] = []
        self.extglob = False
        self.depth = 0
        self.parts = 0
        """How many words, parts of words and comments have been read."""
        self.pending: list[Callable[[], None]] = []
        """What reads the here-documents whose bodies start at the next line end."""

    # Bounds

    def count(self, start: int) -> None:
        """Counts a word, a part of a word or a comment."""
        self.parts += 1
        if self.parts > self.limits.parts:
            raise LimitReached("parts", self.limits, Span(start, self.at))

    def enter(self, start: int) -> None:
        """Goes one construct deeper."""
        self.depth += 1
        if self.depth > self.limits.depth:
            span = Span(start, min(start + 1, len(self.text)))
            raise LimitReached("depth", self.limits, span)

    def leave(self) -> None:
        """Comes back from a construct."""
        self.depth -= 1

    def fail(self, why: str, start: int | None = None, end: int | None = None) -> NoReturn:
        """Raises a syntax error at the position, or at the given place."""
        if start is None:
            start = self.at
        if end is None:
            end = min(start + 1, len(self.text))
        raise SyntaxFault(why, start, end)

    def unclosed(
        self, what: str, start: int, end: int | None = None, *, missing: str = ""
    ) -> NoReturn:
        """Raises the syntax error for what begins at a place and has no end."""
        if missing:
            text = message(
                "this {what} is never closed: `{word}` is missing", what=what, word=missing
            )
        else:
            text = message("this {what} is never closed", what=what)
        self.fail(text, start, end)

    def unexpected(self) -> NoReturn:
        """Raises the syntax error for whatever stands at the position."""
        if self.at >= len(self.text):
            self.fail(message("the file ends in the middle of a command"))
        if self.text[self.at] == "\n":
            self.fail(message("the line ends in the middle of a command"))
        found = _TOKEN.match(self.text, self.at, self.end)
        token = found.group() if found else self.text[self.at]
        if len(token) > 40:
            token = token[:37] + "..."
        text = message("`{word}` is not expected here", word=token)
        self.fail(text, self.at, self.at + min(len(token), 40))

    # Characters

    def keyword(self) -> str:
        """The reserved word at the position, or ""."""
        found = _KEYWORD.match(self.text, self.at, self.end)
        return found.group() if found else ""

    def peek(self, text: str) -> bool:
        """True when `text` comes next."""
        return self.text.startswith(text, self.at, self.end)

    def skip(self, text: str) -> bool:
        """Steps over `text` where it comes next; False, and no step, where it does not."""
        if not self.peek(text):
            return False
        self.at += len(text)
        return True

    def take(self, text: str) -> None:
        """Steps over `text`, which has to come next."""
        if not self.skip(text):
            self.unexpected()

    def blanks(self) -> None:
        """Skips blanks, line continuations and a comment."""
        text = self.text
        at = self.at
        if at < self.end and text[at] in " \t\\":
            found = _BLANKS.match(text, at, self.end)
            if found:
                self.at = at = found.end()
            elif at + 1 == self.end == len(text):
                # Bash drops a lone backslash at the end of the file.
                self.at = at = self.end
        if at < self.end and text[at] == "#":
            found = _COMMENT.match(text, at, self.end)
            if found:
                self.at = found.end()
                self.count(at)
                self.comments.append(Comment(found.group(), Span(at, found.end())))

    def newlines(self) -> None:
        """Skips blanks, comments and line ends."""
        while True:
            self.blanks()
            if self.at < self.end and self.text[self.at] == "\n":
                self.newline()
            else:
                return

    def newline(self) -> None:
        """Steps over a line end, and over the bodies of here-documents that start behind it."""
        self.at += 1
        if self.pending:
            pending, self.pending = self.pending, []
            for read in pending:
                read()

    def bounded(self, start: int, end: int, parse: Callable[[], None]) -> None:
        """Parses a part of the text that is known to end at `end`."""
        at, limit = self.at, self.end
        self.at, self.end = start, end
        try:
            parse()
        finally:
            self.at, self.end = at, limit

    # Matching brackets

    def arithmetic_end(self, at: int) -> int:
        """Where the `))` stands that closes an arithmetic expression; -1 when it is none."""
        depth = 2
        scanned = 0
        while True:
            found = _PARENS.search(self.text, at, self.end)
            if not found:
                return -1
            scanned += 1
            if scanned % 8 == 0:
                # A nest of parentheses is looked through once for each level.
                self.count(at)
            character = found.group()
            at = found.end()
            if character == "(":
                depth += 1
            elif character == ")":
                depth -= 1
                if depth == 1:
                    return found.start() if self.text.startswith(")", at, self.end) else -1
            else:
                at = self._behind_quoted(character, at)

    def _behind_quoted(self, mark: str, at: int) -> int:
        """Where the text goes on behind what a backslash or a quote before `at` protects."""
        if mark == "\\":
            return at + 1
        close = self.text.find(mark, at, self.end)
        return at if close < 0 else close + 1

    def bracket_end(self, at: int) -> int:
        """Where the `]` stands that closes a subscript; -1 when none does on this line."""
        depth = 1
        while True:
            found = _BRACKETS.search(self.text, at, self.end)
            if not found or found.group() == "\n":
                return -1
            character = found.group()
            at = found.end()
            if character == "[":
                depth += 1
            elif character == "]":
                depth -= 1
                if depth == 0:
                    return found.start()
            else:
                at = self._behind_quoted(character, at)
