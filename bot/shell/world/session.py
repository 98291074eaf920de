"""What all worlds of one reading share: bounds, records, and the evaluator of substitutions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias

from bot.shell.limits import LimitReached, ShellLimits
from bot.shell.parse.places import Places
from bot.shell.parse.syntax import Positioned, Script, WordPart
from bot.shell.pieces import Value
from bot.shell.source import Span
from bot.shell.words import Command, Hole, HoleKind, Piece, Problem, Variable, Word
from bot.shell.world.choices import Choices
from bot.shell.world.fields import Atom, ExpansionContext
from bot.shell.world.state import World
from bot.shell.world.tree import Tree
from bot.shell.world.ways import START, Ways, common, either, words

_CALLS_PER_LOOK: Final = 128
_processor_time: Final = getattr(time, "thread_time", time.process_time)
"""Seconds of this thread; in a browser, where Python has no clock of a thread, of the process."""


class ExpansionFault(Exception):  # noqa: N818 - bash calls it an expansion error
    """An expansion failed: bash gives up the current line, or with `fatal` the whole script."""

    def __init__(self, message: str, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.fatal = fatal


class CommandFault(ExpansionFault):
    """A word or an assignment cannot be carried out, while `((…))` and its like only fail."""


class ReadonlyFault(CommandFault):
    """A variable is read-only: a builtin that sets it only fails."""


CaptureOutput: TypeAlias = Callable[[World, Script], Value]
"""Runs a list of commands in a subshell: its output, line ends kept, holes where it is unknown."""
Expand: TypeAlias = Callable[["Session", World, list[WordPart], ExpansionContext], list[Atom]]
"""What parts of a word give."""
Tildes: TypeAlias = Callable[["Session", World, list[WordPart]], list[WordPart]]
"""Replaces each `~` in parts of a word where bash does so."""

Need: TypeAlias = Literal["arguments", "variables", "rounds", "every round"]
"""What a script may do nothing without: the caller's arguments, the variables that are empty unless
given, several rounds of a loop that goes round any number of times, and also those of its rounds
that replace a value."""


class Session:
    """Bounds and records of one reading."""

    capture: CaptureOutput
    expand: Expand
    tildes: Tildes

    def __init__(
        self,
        limits: ShellLimits,
        places: Places,
        environment: Mapping[str, str] | None,
        tree: Tree,
    ) -> None:
        self.limits = limits
        self.places = places
        self.tree = tree
        self.environment = environment
        self.commands: list[Command] = []
        self.variables: list[Variable] = []
        self.problems: list[Problem] = []
        self.unread: dict[str, None] = {}
        """See `Reading.unread`."""
        self.depth = 0
        self.running: list[str] = []
        """The other files that are being run, outermost first; "" for the text of `bash -c`."""
        self.at = Span(0, 0)
        """The command being carried out, for messages."""
        self.inner = 0
        """How many command substitutions surround the command."""
        self.loops = 0
        """How many loops surround the command in its function."""
        self.substituted = False
        """Whether the command has run a command substitution, whose status then counts."""
        self.choices: Choices | None = None
        """The choices of the command being carried out; None where it cannot be run again."""
        self.given: frozenset[str] = frozenset()
        """The variables that the caller is known to set."""
        self.needed: frozenset[Need] = frozenset()
        """What the script is read for, since it does nothing without."""
        self.asked = set[Need]()
        """On which of them the reading depends: with any others it is the same."""
        self.mixable = False
        """Whether there was a loop of any number of rounds, where several do what no one does."""
        self.ended = False
        """Whether the script was left before its end, or did nothing."""
        self.before_end: int | None = None
        """How many of `commands` were listed when what runs at the end began."""
        self.parsed = 0
        """How many parts the texts had that are not the script's own."""
        self.texts: dict[object, Any] = {}
        """What the texts that are not the script's own were parsed to."""
        self._steps = 0
        self._listed = 0
        self._until = _processor_time() + limits.seconds
        self._calls = 0
        self._expanded = 0
        self._environment: tuple[Mapping[str, Word], object] = {}, ()
        self._environment_size = 0
        """That of the command listed last, and its texts."""
        self._seen_commands: dict[object, int] = {}
        """For each command its place in `commands`."""
        self.ran: list[int] = []
        """The places in `commands` of those carried out, in the order in which they were."""
        self._ways: list[Ways] = []
        """For each of `commands` the ways to it."""
        self._seen_variables: set[object] = set()
        self._seen_problems: set[str] = set()

    def text(self, place: Span | Positioned) -> str:
        """The text of the script at a place, or that a node stands for."""
        return self.places.slice(place.start, place.end)

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of a place, in the file in which it lies."""
        file = self.places.file_at(offset)
        if file is not None:
            before = file.text[: offset - file.start]
            return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        start = self.places.outer(Span(offset, offset)).start
        before = self.places.text[:start]
        return before.count("\n") + 1, start - (before.rfind("\n") + 1) + 1

    def needs(self, what: Need) -> bool:
        """Whether the script is read for something; only to be asked where that counts."""
        self.asked.add(what)
        return what in self.needed

    # Bounds

    def step(self, start: int, end: int) -> None:
        """Counts a command or a round of a loop."""
        self._tick()
        self._steps += 1
        if self._steps > self.limits.steps:
            raise LimitReached("steps", self.limits, Span(start, end))

    @contextmanager
    def looping(self, loops: int | None = None) -> Iterator[None]:
        """Where so many loops surround a command; one more where nothing is said."""
        outer, self.loops = self.loops, self.loops + 1 if loops is None else loops
        try:
            yield
        finally:
            self.loops = outer

    def enter(self, start: int, end: int) -> None:
        """Goes one construct, substitution or call deeper."""
        self.depth += 1
        if self.depth > self.limits.depth:
            raise LimitReached("depth", self.limits, Span(start, end))

    def leave(self) -> None:
        """Comes back."""
        self.depth -= 1

    def spend(self, characters: int, pieces: int = 1) -> None:
        """Counts expanded text."""
        self._tick()
        if characters > self.limits.expansion:
            raise LimitReached("expansion", self.limits, self.at)
        self._expanded += characters + 16 * pieces
        if self._expanded > self.limits.expansions:
            raise LimitReached("expansions", self.limits, self.at)

    def work(self, amount: int) -> None:
        """Counts work that writes nothing, as the characters that could be copied meanwhile."""
        self._expanded += amount
        self.spend(0, 0)

    def _tick(self) -> None:
        """Looks at the clock of the processor now and then."""
        self._calls += 1
        if self._calls % _CALLS_PER_LOOK == 0 and _processor_time() > self._until:
            raise LimitReached("seconds", self.limits, self.at)

    def spend_words(self, words: int) -> None:
        """Refuses an expansion into too many words."""
        if words > self.limits.words:
            raise LimitReached("words", self.limits, self.at)

    def limit(self, reached: LimitReached, consequence: str) -> None:
        """Reports that a bound was reached, once for each bound."""
        if reached.bound in self._seen_problems:
            return
        self._seen_problems.add(reached.bound)
        self.problems.append(reached.problem(consequence))

    def unsupported(self, message: str, span: Span) -> None:
        """Reports a construct that is valid but not evaluated, once for each message."""
        self.report(Problem("unsupported", message, span))

    def report(self, problem: Problem) -> None:
        """Reports a problem, once for each message."""
        if problem.message not in self._seen_problems:
            self._seen_problems.add(problem.message)
            self.problems.append(problem)

    # Records

    def record(self, command: Command, ways: Ways) -> None:
        """Lists a command with the ways to it, to which those in another world are added."""
        key = (
            self._place(command.span),
            tuple([word.text for word in command.argv]),
            self._texts_of(command.environment),
            tuple([(item.name, item.value.text) for item in command.prefix]),
            tuple([(name, file.content.text) for name, file in command.files.items()]),
        )
        seen = self._seen_commands.get(key)
        self.ran.append(len(self.commands) if seen is None else seen)
        if seen is not None:
            if self._ways[seen] is not ways and self._ways[seen] != ways:
                self.work(sum(len(way.answers) for way in ways))
                self._ways[seen] = either(self._ways[seen], ways)
                self.commands[seen] = _assuming(command, self._ways[seen])
            return
        if len(self.commands) >= self.limits.commands:
            raise LimitReached("commands", self.limits, command.span)
        if len(command.argv) > self.limits.arguments:
            raise LimitReached("arguments", self.limits, command.span)
        self.work(self._environment_size)
        self._listed += len(command.argv)
        if self._listed > self.limits.listed:
            raise LimitReached("listed", self.limits, command.span)
        self._seen_commands[key] = len(self.commands)
        self._ways.append(ways)
        self.commands.append(_assuming(command, ways))

    def _texts_of(self, environment: Mapping[str, Word]) -> object:
        if environment is not self._environment[0]:  # Commands in a row have the same one.
            texts = tuple([(name, word.text) for name, word in environment.items()])
            self._environment = environment, texts
            # Each command that is listed shows its own to whoever reads the list.
            self._environment_size = sum(len(n) + len(text) + 16 for n, text in texts) // 2
        return self._environment[1]

    def _place(self, span: Span) -> object:
        """A place that is the same each time that the same command runs the same file."""
        file = self.places.file_at(span.start)
        if file is None:
            return span
        return self.places.outer(span), span.start - file.start, span.end - file.start

    def assigned(self, name: str, value: Value, name_span: Span, value_span: Span) -> Variable:
        """Lists an assignment unless the same one was carried out before."""
        self.spend(0, len(value))
        variable = Variable(name, Word(value, value_span), name_span, value_span)
        key = (self._place(name_span), variable.value.text)
        if key not in self._seen_variables:
            self._seen_variables.add(key)
            self.variables.append(variable)
        return variable


def _assuming(command: Command, ways: Ways) -> Command:
    if ways is START:
        return command
    answers = {question: answer for question, (answer, _) in common(ways).answers.items()}
    return replace(command, assumptions=words(ways), answers=answers)


def hole(
    kind: HoleKind, reason: str, span: Span, name: str | None = None, *, number: bool = False
) -> Value:
    """A value that is one hole."""
    return (Piece(Hole(kind, reason, name, number), span, False),)


def shorten(text: str) -> str:
    """Source text on one line, cut to 60 characters."""
    text = " ".join(text.replace("\\\n", " ").split())
    return text if len(text) <= 60 else text[:57] + "..."
