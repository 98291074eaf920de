"""Words: quotes, escapes, `$`, backquotes, and what stands inside `${...}`."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.shell.lexer import Lexer, SyntaxFault
from bot.shell.limits import Limits
from bot.shell.places import Places, shift
from bot.shell.quoting import decode_ansi
from bot.shell.source import Span
from bot.shell.syntax import (
    Arithmetic,
    Parameter,
    Part,
    Quoted,
    Script,
    Substitution,
    Text,
    WordNode,
)
from bot.shell.words import Piece, Word

_PLAIN = re.compile(r"[^ \t\n;&|()<>\\'\"$`]+")
_IN_QUOTES = re.compile(r'[^"\\$`]+')
_IN_DOCUMENT = re.compile(r"[^\\$`]+")
_IN_REGEX = re.compile(r"[^ \t\n()\\'\"$`]+")
_DOLLAR = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")


class WordParser(Lexer):
    """Reads words into their parts."""

    def __init__(self, text: str, limits: Limits, places: Places, base: int = 0) -> None:
        super().__init__(text, limits)
        self.places = places
        self.base = base
        """Where the text starts in the coordinates of `places`."""

    def script(self, closing: str) -> Script:
        """A list of commands up to the closing token."""
        raise NotImplementedError

    def nested(self, text: str, base: int) -> Script:
        """Parses another text as a script of its own."""
        raise NotImplementedError

    def braced(self, quoted: bool) -> Parameter:
        """`${...}`, from its `$`."""
        raise NotImplementedError

    # Unquoted words

    def word(self) -> WordNode:
        """The word at the position; without parts when none stands there."""
        start = self.at
        found = _PLAIN.match(self.text, start, self.end)
        if found:
            end = found.end()
            if end == self.end or self.text[end] in " \t\n;|)":
                # Most words: characters and nothing else.
                self.at = end
                self.count(start)
                run = found.group()
                span = Span(start, end)
                piece = Piece(run, span)
                node = WordNode(start, end, [Text(piece)], "{" in run, "~" in run)
                if not (node.braces or node.tilde):
                    node.ready = Word((piece,), span)
                return node
        return self._assembled(start, self._unquoted)

    def regex(self) -> WordNode:
        """The right side of `=~`, where parentheses and `|` belong to the word."""
        return self._assembled(self.at, self._regex)

    def _assembled(self, start: int, read: Callable[[list[Part]], None]) -> WordNode:
        parts: list[Part] = []
        read(parts)
        braces = tilde = False
        plain = True
        for part in parts:
            if not isinstance(part, Text):
                plain = False
            elif not part.piece.quoted:
                run = part.piece.text
                assert isinstance(run, str)  # noqa: S101 - the parser writes no holes
                braces = braces or "{" in run
                tilde = tilde or "~" in run
        node = WordNode(start, self.at, parts, braces, tilde)
        if plain and parts and not (braces or tilde):
            pieces = tuple(part.piece for part in parts if isinstance(part, Text))
            kept = tuple(piece for piece in pieces if piece.text)
            node.ready = Word(kept, Span(start, self.at))
        return node

    def _unquoted(self, parts: list[Part]) -> None:
        text = self.text
        while self.at < self.end:
            found = _PLAIN.match(text, self.at, self.end)
            if found:
                self.literal(parts, self.at, found.end())
                continue
            character = text[self.at]
            if character in "<>" and self.text.startswith("(", self.at + 1, self.end):
                parts.append(self._process(character))
            elif character == "(" and self._extended(parts):
                self._group(parts)
            elif not self.special(parts):
                return

    def _regex(self, parts: list[Part]) -> None:
        depth = 0
        while self.at < self.end:
            found = _IN_REGEX.match(self.text, self.at, self.end)
            if found:
                self.literal(parts, self.at, found.end())
                continue
            character = self.text[self.at]
            if character in "()":
                depth += 1 if character == "(" else -1
                if depth < 0:
                    return
                self.literal(parts, self.at, self.at + 1)
            elif character in " \t" and depth:
                self.literal(parts, self.at, self.at + 1)
            elif not self.special(parts):
                return

    def literal(self, parts: list[Part], start: int, end: int, quoted: bool = False) -> None:
        """Adds the characters [start, end) of the text, and steps behind them."""
        self.at = end
        self.count(start)
        parts.append(Text(Piece(self.text[start:end], Span(start, end), True, quoted)))

    def _extended(self, parts: list[Part]) -> bool:
        """True when the `(` at the position opens a pattern such as `@(a|b)`."""
        return (
            self.extglob
            and bool(parts)
            and isinstance(parts[-1], Text)
            and not parts[-1].piece.quoted
            and self.text[self.at - 1] in "?*+@!"
        )

    def _group(self, parts: list[Part]) -> None:
        opening = self.at
        self.enter(opening)
        self.literal(parts, opening, opening + 1)
        while self.at < self.end:
            character = self.text[self.at]
            if character == ")":
                self.literal(parts, self.at, self.at + 1)
                self.leave()
                return
            found = _PLAIN.match(self.text, self.at, self.end)
            if found:
                self.literal(parts, self.at, found.end())
            elif character == "(" and self._extended(parts):
                self._group(parts)
            elif not self.special(parts):
                self.literal(parts, self.at, self.at + 1)
        self.fail("this `(` is never closed", opening)

    def special(self, parts: list[Part]) -> bool:
        """Reads a quote, an escape, `$` or backquotes in unquoted text; False for anything else."""
        text = self.text
        at = self.at
        character = text[at]
        if character == "'":
            close = text.find("'", at + 1, self.end)
            if close < 0:
                self.fail("this single quote is never closed", at)
            self.literal(parts, at + 1, close, quoted=True)
            self.at = close + 1
        elif character == '"':
            self.double_quoted(parts, at)
        elif character == "\\":
            if at + 1 >= self.end:
                # Bash drops a lone backslash at the end of the file.
                self.at = at + 1
                return True
            self.at = at + 2
            if text[at + 1] != "\n":
                self.literal(parts, at + 1, at + 2, quoted=True)
        elif character == "$":
            self._dollar(parts, quoted=False)
        elif character == "`":
            parts.append(self._backquotes(quoted=False))
        else:
            return False
        return True

    # Quotes

    def double_quoted(self, parts: list[Part], opening: int) -> None:
        """Text in double quotes; the position is on the opening quote."""
        self.at += 1
        inner: list[Part] = []
        self.enter(opening)
        while True:
            if self.at >= self.end:
                self.fail("this double quote is never closed", opening)
            found = _IN_QUOTES.match(self.text, self.at, self.end)
            if found:
                self.literal(inner, self.at, found.end(), quoted=True)
            elif self.text[self.at] == '"':
                break
            else:
                self.expanding(inner, '$`"\\')
        self.leave()
        self.at += 1
        if all(isinstance(part, Text) for part in inner):
            if not inner:
                self.count(opening)
                inner.append(Text(Piece("", Span(self.at - 1, self.at - 1), True, True)))
            parts.extend(inner)
        else:
            parts.append(Quoted(opening, self.at, inner))

    def expanding(self, parts: list[Part], escapable: str) -> None:
        """Reads `$`, backquotes or a backslash where the rules of double quotes hold."""
        at = self.at
        character = self.text[at]
        if character == "$":
            self._dollar(parts, quoted=True)
        elif character == "`":
            parts.append(self._backquotes(quoted='"' in escapable))
        elif at + 1 < self.end and self.text[at + 1] == "\n":
            self.at = at + 2
        elif at + 1 < self.end and self.text[at + 1] in escapable:
            self.literal(parts, at + 1, at + 2, quoted=True)
        else:
            self.literal(parts, at, at + 1, quoted=True)

    def document(
        self, start: int, lines: list[tuple[int, int]], quoted: bool, tabs: bool
    ) -> WordNode:
        """The body of a here-document as a word."""
        stop = lines[-1][1] if lines else start
        parts: list[Part] = []
        stretches = lines if tabs else [(start, stop)]
        for begin, end in stretches:
            if begin >= end:
                continue
            if quoted:
                back = self.at
                self.literal(parts, begin, end, quoted=True)
                self.at = back
            else:
                try:
                    parts.extend(self.region(begin, end, arithmetic=False).parts)
                except SyntaxFault as fault:
                    # Bash looks into the body when it comes to it, and fails only then.
                    spot = fault.start
                    parts.append(Parameter(spot, fault.end, "", spot, spot, bad=True))
        return WordNode(start, stop, parts)

    def region(self, start: int, end: int, *, arithmetic: bool) -> WordNode:
        """The text [start, end) under the rules of here-documents, or of arithmetic."""
        parts: list[Part] = []
        run = _IN_QUOTES if arithmetic else _IN_DOCUMENT

        def read() -> None:
            while self.at < self.end:
                found = run.match(self.text, self.at, self.end)
                if found:
                    self.literal(parts, self.at, found.end(), quoted=True)
                elif self.text[self.at] == '"':
                    self.at += 1
                else:
                    self.expanding(parts, "$`\\")

        self.enter(start)
        depth = self._depth
        try:
            self.bounded(start, end, read)
        finally:
            self._depth = depth
        self.leave()
        return WordNode(start, end, parts)

    # Dollar

    def _dollar(self, parts: list[Part], *, quoted: bool) -> None:
        text = self.text
        at = self.at
        following = text[at + 1] if at + 1 < self.end else ""
        if following == "{":
            self.enter(at)
            parts.append(self.braced(quoted))
            self.leave()
        elif following == "(":
            close = self.arithmetic_end(at + 3) if self.text.startswith("((", at + 1) else -1
            if close >= 0:
                expression = self.region(at + 3, close, arithmetic=True)
                self.at = close + 2
                parts.append(Arithmetic(at, self.at, expression))
            else:
                self.at = at + 2
                parts.append(self._substitution(at, "`$(`"))
        elif following == "[":
            close = self.bracket_end(at + 2)
            if close < 0:
                self.fail("this `$[` is never closed", at, at + 2)
            expression = self.region(at + 2, close, arithmetic=True)
            self.at = close + 1
            parts.append(Arithmetic(at, self.at, expression))
        elif following == "'" and not quoted:
            value, end = decode_ansi(text, at + 2, self.end)
            if end < 0:
                self.fail("this quote is never closed", at, at + 2)
            self.at = end + 1
            self.count(at)
            same = value == text[at + 2 : end]
            parts.append(Text(Piece(value, Span(at + 2, end), same, True)))
        elif following == '"' and not quoted:
            self.at = at + 1
            self.double_quoted(parts, at + 1)
        else:
            found = _DOLLAR.match(text, at + 1, self.end)
            if found:
                self.at = found.end()
                self.count(at)
                parts.append(Parameter(at, self.at, found.group(), at + 1, self.at))
            else:
                self.literal(parts, at, at + 1, quoted)

    def _substitution(self, start: int, name: str) -> Substitution:
        """A substitution whose opening has been read."""
        self.count(start)
        self.enter(start)
        body = self.script(")")
        if not self.peek(")"):
            if self.at >= self.end:
                self.fail(f"this {name} is never closed", start, start + 2)
            self.unexpected()
        self.at += 1
        self.leave()
        return Substitution(start, self.at, body)

    def _process(self, direction: str) -> Substitution:
        start = self.at
        self.at += 2
        node = self._substitution(start, f"`{direction}(`")
        node.process = direction
        return node

    def _backquotes(self, quoted: bool) -> Substitution:
        start = self.at
        text = self.text
        at = start + 1
        while at < self.end and text[at] != "`":
            at += 2 if text[at] == "\\" else 1
        if at >= self.end:
            self.fail("this backquote is never closed", start)
        self.count(start)
        self.enter(start)
        raw = text[start + 1 : at]
        if "\\" not in raw:
            body = Script(start + 1, at, [])

            def read() -> None:
                nonlocal body
                body = self.script("")
                if self.at < self.end:
                    self.unexpected()

            self.bounded(start + 1, at, read)
        else:
            body = self._unescaped(start + 1, at, '$`\\"' if quoted else "$`\\")
        self.leave()
        self.at = at + 1
        return Substitution(start, self.at, body)

    def _unescaped(self, start: int, end: int, escapable: str) -> Script:
        """Backquotes with escapes: the text without them is parsed in virtual coordinates."""
        pieces: list[tuple[str, Span, bool]] = []
        at = begin = start
        text, base = self.text, self.base
        while at < end:
            if text[at] == "\\" and at + 1 < end and text[at + 1] in escapable:
                pieces.append((text[begin:at], Span(base + begin, base + at), True))
                begin = at + 1
                at += 1
            at += 1
        pieces.append((text[begin:end], Span(base + begin, base + end), True))
        inner = "".join(piece for piece, _, _ in pieces)
        place = self.places.allocate(pieces)
        body = self.nested(inner, place)
        shift(body, place, len(inner))
        return body
