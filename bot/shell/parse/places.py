"""From the reader's coordinates to places in the script.

The parser sees the script with plain line ends. Text that exists only while reading (the argument
of `eval`, backquotes with escapes) is parsed too: it lies behind the end of the script, in virtual
coordinates, and each stretch of it remembers where its characters were written.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.base.fast_dataclass import dataclass
from bot.shell.parse.syntax import field_names, nodes
from bot.shell.pieces import Value
from bot.shell.source import Span
from bot.shell.words import Command, Piece, Variable, Word


@dataclass(frozen=True, slots=True)
class RunFile:
    """Another file that the script runs or sources."""

    start: int
    """Where its text starts, in the reader's coordinates."""
    text: str
    word: Value
    """Its path as the command has it."""
    path: str
    """The same from the root of its tree."""


class Places:
    """Knows where every character that the parser saw was written."""

    def __init__(self, text: str) -> None:
        """Takes the script as it is, Windows line ends included."""
        self.text = text.replace("\r\n", "\n")
        self._starts: list[int] = []
        """Starts of stretches, rising; each stretch ends where the next one starts."""
        self._origins: list[tuple[int, int, bool]] = []
        """For each stretch: where it was written, and whether character by character."""
        self.plain = len(self.text) == len(text)
        """True when the reader's coordinates are the script's."""
        self._breaks: list[int] = []
        if not self.plain:
            at = self.text.find("\n")
            gone = 0
            while at >= 0:
                if text[at + gone] == "\r":
                    gone += 1
                    self._breaks.append(at)
                at = self.text.find("\n", at + 1)
        self._end = len(self.text) + 1
        self._texts: list[tuple[int, str]] = [(0, self.text)]
        self._spans: dict[int, Span] = {}
        """Origins by index, kept because many pieces come from one stretch."""
        self.files: list[RunFile] = []
        """Other files that were run."""

    def allocate(self, pieces: Iterable[tuple[str, Span, bool]]) -> int:
        """Makes room for a text made of pieces with their origins; returns where it starts."""
        base = self._end
        pieces = list(pieces)
        self._texts.append((base, "".join(text for text, _, _ in pieces)))
        for text, span, literal in pieces:
            if text:
                self._starts.append(self._end)
                end = span.start + len(text) if literal else span.end
                self._origins.append((span.start, end, literal))
                self._end += len(text)
        self._starts.append(self._end)
        self._origins.append((0, 0, False))
        self._end += 1
        self.plain = False
        return base

    def slice(self, start: int, end: int) -> str:
        """The text between two places, virtual ones included."""
        if not self._starts:
            return self.text[start:end]
        base, text = self._texts[bisect_right(self._texts, start, key=lambda item: item[0]) - 1]
        return text[start - base : end - base]

    def stretches(self, span: Span) -> list[tuple[int, Span, bool]]:
        """The origins of a span: length here, where it was written, whether one to one."""
        if span.start <= len(self.text):
            return self._lines(span.start, min(span.end, len(self.text)))
        found: list[tuple[int, Span, bool]] = []
        at = span.start
        index = max(bisect_right(self._starts, at) - 1, 0)
        while True:
            start, _, literal = self._origins[index]
            begin = self._starts[index]
            stop = self._starts[index + 1] if index + 1 < len(self._starts) else self._end
            here = min(span.end, stop)
            if literal:
                inner = Span(start + at - begin, start + here - begin)
                found.extend(self.stretches(inner))
            else:
                found.append((here - at, self._origin(index), False))
            at = here
            index += 1
            if at >= span.end or index >= len(self._starts) - 1:
                return found

    def outer(self, span: Span) -> Span:
        """The smallest stretch of the script that a span covers, where it is in one place."""
        if self.plain or (not self._breaks and span.end <= len(self.text)):
            return span
        parts = self.stretches(span)
        first = parts[0][1]
        last = parts[-1][1]
        outer = Span(first.start, last.end) if last.end >= first.start else last
        return self._naming(span.start, outer)

    def _naming(self, offset: int, outer: Span) -> Span:
        """A stretch of the script that names the file and line of what it stands for."""
        file = self.file_at(offset)
        if file is None:
            return outer
        line = file.text.count("\n", 0, offset - file.start) + 1
        return Span(outer.start, outer.end, (file.path, line))

    def file_at(self, offset: int) -> RunFile | None:
        """The other file in which a place lies; None for the script and for texts of `eval`."""
        for file in reversed(self.files):
            if file.start <= offset <= file.start + len(file.text):
                return file
        return None

    def _lines(self, start: int, end: int) -> list[tuple[int, Span, bool]]:
        """Origins in a script with Windows line ends: one stretch a line."""
        breaks = self._breaks
        if not breaks:
            return [(end - start, Span(start, end), True)]
        # breaks[k] is the place of the k-th CRLF here; in the script it lies k further on.
        found: list[tuple[int, Span, bool]] = []
        at = start
        index = bisect_right(breaks, at - 1)
        while index < len(breaks) and breaks[index] < end:
            stop = breaks[index]
            if stop > at:
                found.append((stop - at, Span(at + index, stop + index), True))
            found.append((1, Span(stop + index, stop + index + 2), False))
            at = stop + 1
            index += 1
        if at < end or not found:
            found.append((end - at, Span(at + index, end + index), True))
        return found

    def pieces(self, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
        """Pieces with their places in the script; one that lies in several places is divided."""
        result: list[Piece] = []
        whole = 0 if self._breaks else len(self.text)
        for piece in pieces:
            if piece.span.end <= whole:
                result.append(piece)
                continue
            if piece.span.start > whole:
                single = self._single(piece.span)
                if single is not None:
                    result.append(
                        Piece(piece.text, single, False, piece.quoted, piece.via, piece.default_of)
                    )
                    continue
            result.extend(self._pieces(piece))
        return tuple(result)

    def _single(self, span: Span) -> Span | None:
        """The one place where the text around a span was written, where it is not one to one."""
        index = bisect_right(self._starts, span.start) - 1
        if index < 0 or index + 1 >= len(self._starts) or span.end > self._starts[index + 1]:
            return None
        if self._origins[index][2]:
            return None
        return self._naming(span.start, self._origin(index))

    def _origin(self, index: int) -> Span:
        """Where a stretch was written that does not agree with it one to one."""
        found = self._spans.get(index)
        if found is None:
            start, end, _ = self._origins[index]
            # Kept, because texts inside texts repeat the lookup at each level.
            found = self._spans[index] = self.outer(Span(start, end))
        return found

    def _pieces(self, piece: Piece) -> list[Piece]:
        if not piece.literal or not isinstance(piece.text, str):
            return [replace(piece, span=self.outer(piece.span))]
        result: list[Piece] = []
        at = 0
        for length, span, literal in self.stretches(piece.span):
            text = piece.text[at : at + length]
            result.append(replace(piece, text=text, span=span, literal=literal))
            at += length
        return result

    def word(self, word: Word) -> Word:
        """A word with its places in the script."""
        return Word(self.pieces(word.pieces), self.outer(word.span))

    def variable(self, variable: Variable) -> Variable:
        """A variable with its places in the script."""
        return replace(
            variable,
            value=self.word(variable.value),
            name_span=self.outer(variable.name_span),
            value_span=self.outer(variable.value_span),
        )

    def command(self, command: Command) -> Command:
        """A command with its places in the script."""
        return replace(
            command,
            argv=tuple(self.word(word) for word in command.argv),
            span=self.outer(command.span),
            environment={name: self.word(word) for name, word in command.environment.items()},
            prefix=tuple(self.variable(variable) for variable in command.prefix),
        )


def shift(tree: object, by: int, size: int) -> None:
    """Moves the freshly parsed tree of a text of `size` characters `by` characters, in place.

    Texts inside it that have a place of their own already lie further on, and stay there.
    """
    for node in nodes(tree):
        for name in field_names(node):
            value = getattr(node, name)
            if isinstance(value, int) and name.removeprefix("name_") in ("start", "end"):
                setattr(node, name, value + by if value <= size else value)
            elif isinstance(value, Piece) and value.span.start <= size:
                moved = Span(value.span.start + by, value.span.end + by)
                setattr(node, name, replace(value, span=moved))
            elif isinstance(value, Word):
                setattr(node, name, None)
