"""f-strings as Python has them since 3.12 (PEP 701), for an older Python to read the rest.

Since then an expression between braces may have the quotes of the text around it, backslashes and
comments: `f"{config["lr"]}"`. What it gives is known to a run alone; a name in its place that
nothing is assigned leaves the tree, its lines and its columns as they are.
"""

from __future__ import annotations

from bot.base.regex import regex

_LITERAL = regex(r"(?<!\w)([A-Za-z]{0,2})(\"{3}|'{3}|\"|')")
_OPENING, _CLOSING = "([{", ")]}"
_ANEW = ("\\", "#")
"""What no expression of an f-string may have before 3.12, as the quotes around it."""


def plain(source: str) -> str:
    """A program whose f-strings have a name in the place of each expression that is too new.

    As it is where one of them cannot be followed to its end.
    """
    try:
        return _Reader(source).read()
    except (IndexError, RecursionError, StopIteration, ValueError):
        return source


def _name(expression: str) -> str:
    """A name of as many lines and bytes: a tree counts its columns in bytes."""
    lines = [" " * len(one.encode("utf-8", "replace")) for one in expression.split("\n")]
    at = next(number for number, one in enumerate(lines) if one)
    lines[at] = lines[at].replace(" ", "_")
    return "\n".join(lines)


class _Reader:
    """Walks through a program, from one literal or comment to the next."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.fields: list[tuple[int, int]] = []
        """Where expressions stand that are too new."""

    def read(self) -> str:
        at = 0
        while at < len(self.source):
            at = self._token(at)
        text, last = [], 0
        for start, end in self.fields:
            text += [self.source[last:start], _name(self.source[start:end])]
            last = end
        return "".join([*text, self.source[last:]])

    def _token(self, at: int) -> int:
        """Behind the comment or the literal that stands here; else one character on."""
        if self.source[at] == "#":
            return self._line_end(at)
        found = _LITERAL.match(self.source, at)
        return self._literal(found[1].lower(), found[2], found.end()) if found else at + 1

    def _line_end(self, at: int) -> int:
        end = self.source.find("\n", at)
        return len(self.source) if end < 0 else end

    def _literal(self, kind: str, quote: str, at: int) -> int:
        """Behind a literal, of which `at` is the first character."""
        while not self.source.startswith(quote, at):
            character = self.source[at]
            if character == "\\":
                at = self._escaped(kind, at + 1)
            elif "f" not in kind or character not in "{}":
                at += 1
            elif self.source[at + 1] == character:
                at += 2
            else:
                at = self._field(kind, quote, at + 1)
        return at + len(quote)

    def _escaped(self, kind: str, at: int) -> int:
        """Behind what a backslash stands before: a brace begins an expression all the same."""
        if "f" not in kind:
            return at + 1
        if "r" not in kind and self.source.startswith("N{", at):
            return self.source.index("}", at) + 1
        return at if self.source[at] in "{}" else at + 1

    def _field(self, kind: str, quote: str, start: int) -> int:
        """Behind an expression in braces and how it is written out (`{loss:.{digits}f}`)."""
        known = len(self.fields)
        end, depth = start, 0
        while depth or self.source[end] not in "}:!" or self.source.startswith("!=", end):
            depth += (self.source[end] in _OPENING) - (self.source[end] in _CLOSING)
            end = max(self._token(end), end + 1 + self.source.startswith("!=", end))
        written = self.source[start:end]
        if quote in written or any(one in written for one in _ANEW):
            if "\n" in written and len(quote) == 1:
                raise ValueError  # No older text of one line goes on in the next.
            self.fields[known:] = [(start, end)]
        at = end
        while self.source[at] != "}":
            at = self._field(kind, quote, at + 1) if self.source[at] == "{" else at + 1
        return at + 1
