"""The text of a script and the places in it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field

from bot.base.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a script, in characters from its start; the end is exclusive."""

    start: int
    end: int
    inside: tuple[str, int] | None = field(default=None, compare=False, repr=False)
    """The file and its line that are meant, where the stretch is the command that runs it."""

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Place:
    """Lines and columns of a span, from 1, counted in characters; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class CellLine:
    """A line of a notebook's code: where the file has it, in which cell, and where in that."""

    file: int
    cell: int
    line: int


@dataclass(slots=True)
class Source:
    """A script's text, decoded, with its path for messages."""

    path: str
    text: str
    attached: tuple[Source, ...] = ()
    """Files that the script names: their offsets count on behind its own (see `begin`)."""
    cells: tuple[CellLine | None, ...] = ()
    """Of each line of a notebook's text whose it is; None for a blank between two cells."""
    exact: bool = True
    """Whether offsets are those of the file, so that it can be changed by them."""
    _starts: list[int] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = self.text.find("\n", at + 1)

    def begin(self, number: int) -> int:
        """The offset at which an attached file begins; a character lies between two files."""
        return sum(len(part.text) + 1 for part in (self, *self.attached[:number]))

    def part(self, offset: int) -> tuple[Source, int]:
        """The file that an offset lies in, the script itself or an attached one, and where."""
        for number in reversed(range(len(self.attached))):
            if offset >= (begin := self.begin(number)):
                return self.attached[number], offset - begin
        return self, offset

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of a character offset in its file."""
        part, at = self.part(offset)
        if part is not self:
            return part.line_column(at)
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1

    def file_line(self, line: int) -> int:
        """The line of the file that a line of the text is; of a notebook they may be others."""
        found = self.cells[line - 1] if line <= len(self.cells) else None
        if found is not None:
            return found.file
        return min(line, max((one.file for one in self.cells if one is not None), default=line))

    def offset(self, line: int, column: int) -> int:
        """The character offset of a line and column, from 1; at most the end of the text."""
        return min(self._starts[line - 1] + column - 1, len(self.text))

    def place(self, span: Span) -> Place:
        """Lines and columns of `span`."""
        return Place(*self.line_column(span.start), *self.line_column(max(span.start, span.end)))

    def written(self, span: Span) -> str:
        """The text of `span`, as it is written in its file."""
        part, at = self.part(span.start)
        return part.text[at : at + span.end - span.start]

    def line(self, number: int) -> str:
        """The text of a line, from 1, without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return len(self._starts)


def line_end(text: str) -> str:
    """How most lines of a text end."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
