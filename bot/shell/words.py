"""What the reader hands on: words as bash would expand them, each character with its place.

Nothing here knows a framework. Unknown is a value: a `Hole` with a reason, never a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.shell.source import Source, Span

HoleKind: TypeAlias = Literal["environment", "unset", "command", "argument", "limit", "unsupported"]


@dataclass(frozen=True, slots=True)
class Hole:
    """A part of a word that cannot be known without running something."""

    kind: HoleKind
    """environment: HOME, USER, PWD and the like · unset: a variable that the script never sets ·
    command: output of a command · argument: the caller's arguments · limit: a bound was reached ·
    unsupported: a construct that the reader does not evaluate."""
    reason: str
    """Short, in words: "variable WORKDIR is not set", "output of date +%Y%m%d"."""
    name: str | None = None
    """The variable, for environment and unset, and for unsupported where a file may set it."""
    number: bool = False
    """Whether it is a number, and thus one word: `$!`, `$((N / 2))`."""
    path: str = ""
    """Of a folder to which `cd` led, its path below the home folder."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of characters of a word, or a hole, with the place where it was written."""

    text: str | Hole
    span: Span
    """Where the characters (or the construct that gave the hole) stand in the script. For a value
    that came through variables this is the assignment, not the command."""
    literal: bool = True
    """True when the span's own characters are the text, one to one, so that a part of the piece is
    the same part of the span; false for computed text such as `$(( ))`."""
    quoted: bool = False
    """True when the characters stood in quotes where they were written."""
    via: tuple[str, ...] = ()
    """The variables that the value came through, outermost first."""
    default_of: str | None = None
    """The variable whose default this is: `${X:-16}` where the script itself never sets X."""

    @property
    def width(self) -> int:
        """How many characters of `Word.text` it is."""
        return len(self.text) if isinstance(self.text, str) else len(self.text.reason) + 4


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command after all expansions."""

    pieces: tuple[Piece, ...]
    span: Span
    """Where the word stands in the command itself."""
    several: bool = False
    """Whether it may be any number of words: `$(hosts)` without quotes."""
    _text: str | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def complete(self) -> bool:
        """True when every character is known."""
        if len(self.pieces) == 1:
            return isinstance(self.pieces[0].text, str)
        for piece in self.pieces:  # noqa: SIM110 - asked of each word, several times
            if not isinstance(piece.text, str):
                return False
        return True

    @property
    def text(self) -> str:
        """The characters; each hole reads `${?reason}`."""
        if self._text is None:
            parts = [piece.text for piece in self.pieces]
            if len(parts) == 1 and isinstance(parts[0], str):
                text = parts[0]
            else:
                text = "".join([p if isinstance(p, str) else f"${{?{p.reason}}}" for p in parts])
            object.__setattr__(self, "_text", text)  # Asked for again and again.
            return text
        return self._text

    @property
    def holes(self) -> tuple[Hole, ...]:
        """The unknown parts, in order."""
        return tuple(piece.text for piece in self.pieces if isinstance(piece.text, Hole))

    def spans_beside(self, at: int) -> tuple[Span, Span]:
        """Where the characters before the one at `at` of `text`, and behind it, were written."""
        first = self.pieces[0] if self.pieces else None
        if first and first.literal and isinstance(first.text, str) and 0 < at < len(first.text):
            start, behind = first.span.start, len(first.text)
            if len(self.pieces) == 1 and at + 1 < behind:
                return Span(start, start + at), Span(start + at + 1, start + behind)
            if len(self.pieces) == 2 and at + 1 == behind and self.pieces[1].text:
                return Span(start, start + at), self.pieces[1].span  # key="$VALUE"
        return self.span_of(0, at), self.span_of(at + 1, len(self.text))

    def span_of(self, start: int, end: int) -> Span:
        """Where the characters [start, end) of `text` were written; the word's own place when none.

        When they come from several places the place of the last piece wins where the pieces lie
        apart, since that is where the value ends; adjoining pieces give their union.
        """
        if self.pieces:  # Nearly always the first one has them.
            piece = self.pieces[0]
            text = piece.text
            if piece.literal and isinstance(text, str) and 0 <= start < end <= len(text):
                first = piece.span.start
                return Span(first + start, first + end)
        spans: list[Span] = []
        at = 0
        for piece in self.pieces:
            text = piece.text
            behind = at + piece.width
            if start < behind and at < end and start < end and at < behind:
                if piece.literal and isinstance(text, str):
                    first = piece.span.start - at
                    lo, hi = max(start, at), min(end, behind)
                    spans.append(Span(first + lo, first + hi))
                else:
                    spans.append(piece.span)
            at = behind
            if at >= end:
                break
        if not spans:
            return self.span
        span = spans[-1]
        for other in reversed(spans[:-1]):
            # A quote or two may stand between adjoining pieces.
            if 0 <= span.start - other.end <= 2:
                span = Span(other.start, span.end)
            else:
                break
        return span


@dataclass(frozen=True, slots=True)
class Variable:
    """An assignment that the reader carried out."""

    name: str
    value: Word
    name_span: Span
    value_span: Span


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """What the script itself wrote into a file before the command that names it."""

    content: Word
    """Its text; a character of `unknown` stands for each part that is not known."""
    unknown: Mapping[str, Piece]

    def with_unknown(self, text: str) -> str:
        """A text that was read from the file; each unknown part reads as in `Word.text`."""
        return Word(tuple(self._pieces(text, Span(0, 0))), Span(0, 0)).text

    def placed(self, word: Word) -> Word:
        """A word that was read from the file, whose places are its own, at those in the script."""
        pieces: list[Piece] = []
        for piece in word.pieces:
            span = self.content.span_of(piece.span.start, piece.span.end)
            if isinstance(piece.text, str):
                pieces += self._pieces(piece.text, span)
            else:
                pieces.append(replace(piece, span=span))
        return Word(tuple(pieces), self.content.span_of(word.span.start, word.span.end))

    def _pieces(self, text: str, span: Span) -> Iterator[Piece]:
        start = 0
        for at, character in enumerate(text):
            if character in self.unknown:
                if start < at:
                    yield Piece(text[start:at], span, literal=False)
                yield self.unknown[character]
                start = at + 1
        if start < len(text) or not text:
            yield Piece(text[start:], span, literal=False)


@dataclass(frozen=True, slots=True)
class Unsloth:
    """A model that unsloth makes, whose layers and loss are its own."""

    offloads: bool = False
    """Whether what layers keep is on the host until it is needed."""
    engine: float | None = None
    """The share of the card for a vLLM that has the trainer's frozen weights; None without one."""
    standby: bool = False
    """Whether that vLLM gives its cache away while others work."""
    embedding_on_host: bool = False
    """Whether the embedding is kept there, where it is not the head too."""
    longest: int = 0
    """Tokens of the longest sequence that it takes (`max_seq_length`); 0 where not known."""
    loss_of: str | None = None
    """The release that gave it the loss that it has; None where nothing names its release."""
    asked: str = ""
    """What names that, in words."""


Placed: TypeAlias = Literal["spread", "balanced", "named", "whole"] | None
"""Layers of a model over the GPUs that there are, about as much on each (`balanced`) or otherwise,
as TRL's trainer lays one of which it is told the name, or all of them on each process's own."""


@dataclass(frozen=True, slots=True)
class WrittenProgram:
    """A program that makes settings in Python, and what it does with its model that is none."""

    module: str
    """The module that they are settings of."""
    prepared: bool = False
    """Whether what is not quantized is made fp32 (`prepare_model_for_kbit_training`)."""
    recomputed: bool = False
    """Whether layers are recomputed by a call: that one, unless told not to, or the model's own."""
    tower_frozen: bool = False
    """Whether the model's vision tower alone is frozen."""
    engines: float = 0.0
    """Share of a card that engines of vLLM's hold which it makes beside the model."""
    adapted: bool = False
    """Whether the model has an adapter when the trainer gets it."""
    to_adapt: bool = False
    """Whether the trainer is to make it one (`peft_config`)."""
    placed: Placed = None
    """Where the model is put as it is loaded (`device_map`)."""
    goes_on: bool = False
    """Whether the adapter is one of an earlier training, whose rank stands beside it."""
    reference: bool = False
    """Whether a copy of the model stands beside an adapter, as the reference."""
    unsloth: Unsloth | None = None
    """How unsloth makes the model; None where the program does not import it."""
    unfollowed: str = ""
    """What stands where its model is not followed, which then is not known."""
    trains_with: str = ""
    """A class of its own that trains, and derives from the module's."""
    optional: frozenset[str] = frozenset()
    """Settings that are given where the installed release has them."""


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command that the script would run, after expansion."""

    argv: tuple[Word, ...]
    span: Span
    """The command in the script, redirections left out."""
    environment: dict[str, Word]
    """Variables exported to the command by the script or set before it (`X=1 cmd`)."""
    prefix: tuple[Variable, ...] = ()
    """The assignments that stand before the command: `X=1 cmd`."""
    piped_to: str | None = None
    """The last program that the output goes through ("tee"); None where it goes through none."""
    pipefail: bool = False
    """Whether `set -o pipefail` was in force."""
    assumptions: tuple[str, ...] = ()
    """Undecidable conditions taken to hold on the way here, in words."""
    answers: Mapping[str, bool] = field(default_factory=dict)
    """The same as values: what was asked, and the answer (see `asked`). Of two launches that answer
    a question differently, at most one runs."""
    settings: tuple[Word, ...] = ()
    """What a file of settings that the command names stands for, as words: its own come later."""
    written: WrittenProgram | None = None
    """Where `settings` are those that its program makes in Python: its own words are others."""
    folder: Word | None = None
    """Where it runs; None where the script has not gone anywhere."""
    files: Mapping[str, WrittenFile] = field(default_factory=dict)
    """The configuration files and programs that it names, or that these name, and that the script
    wrote, by the paths that name them (`Word.text`)."""
    status_read: bool = False
    """Whether its status is looked at: `cmd || exit 1`, `if cmd`. Then `set -e` does nothing."""
    hands_on: bool = False
    """Whether it gets all of the script's own arguments, which nobody has named: `"$@"`."""

    @property
    def implied(self) -> bool:
        """Whether its program stands nowhere in the text, which holds the settings alone.

        So does a recipe, and a program that makes them; one that takes them as options does not.
        """
        nowhere = bool(self.argv) and self.argv[0].span.start == self.argv[0].span.end
        takes = self.written is None and any(word.text.endswith(".py") for word in self.argv[1:2])
        return nowhere and not takes


def asked(question: str) -> tuple[str, ...]:
    """The parts of a question of `Command.answers`: an operator or a program, and what follows.

    A part that is not known holds no text of the script, and is left out.
    """
    return tuple(part for part in question.split("\0") if "\1" not in part)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, with its `#`."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Problem:
    """Something the reader could not take as it stands."""

    kind: Literal["syntax", "limit", "unsupported", "encoding"]
    """syntax: bash would refuse it · limit: a bound of the reader was reached ·
    unsupported: valid, but not evaluated · encoding: not text."""
    message: str
    """One sentence; for a limit it names the bound."""
    span: Span


@dataclass(frozen=True, slots=True)
class Reading:
    """What a script would run, as far as that can be known without running it."""

    source: Source
    commands: tuple[Command, ...]
    """Every command that would run, on every path that could be taken, in order."""
    variables: tuple[Variable, ...]
    """Every assignment carried out, in order."""
    comments: tuple[Comment, ...]
    problems: tuple[Problem, ...]
    unread: tuple[str, ...] = ()
    """Files that it sources and that were not read, as messages name them."""
