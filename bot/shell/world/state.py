"""The state of a shell in one possible world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields
from typing import Protocol

from bot.base.fast_dataclass import dataclass
from bot.shell.parse.syntax import CommandNode as Node
from bot.shell.parse.syntax import Script
from bot.shell.pieces import Value, known, marked
from bot.shell.source import Span
from bot.shell.words import Hole, Piece, Word
from bot.shell.world.ways import START, Ways, either

ALWAYS_SET = frozenset(
    {
        "HOME", "USER", "LOGNAME", "SHELL", "PATH", "PWD", "HOSTNAME", "UID", "EUID",
        "PPID", "SHLVL", "BASH", "BASH_VERSION", "BASH_VERSINFO", "HOSTTYPE", "MACHTYPE",
        "OSTYPE", "SHELLOPTS", "BASHOPTS", "_", "GROUPS",
    }
)  # fmt: skip
"""Variables that the system or bash itself sets."""
CALLERS = ALWAYS_SET | frozenset(
    {
        "TMPDIR", "TERM", "LANG", "LC_ALL", "OLDPWD", "LD_LIBRARY_PATH", "PYTHONPATH",
    }
)  # fmt: skip
"""Variables that belong to the caller's environment by convention, set or not."""
CHANGING = frozenset(
    {
        "RANDOM", "SECONDS", "SRANDOM", "EPOCHSECONDS", "EPOCHREALTIME", "BASHPID", "BASH_COMMAND",
        "FUNCNAME", "BASH_LINENO", "DIRSTACK", "PIPESTATUS", "BASH_SUBSHELL", "COMP_WORDBREAKS",
    }
)  # fmt: skip
"""Variables whose value bash computes."""


@dataclass(slots=True)
class ShellVariable:
    """A variable: never changed once it is in a world, so that worlds can share it."""

    value: Value | None = None
    """The value of a scalar; None when declared without one."""
    items: dict[int | str, Value] | None = None
    """The elements of an array."""
    associative: bool = False
    exported: bool = False
    readonly: bool = False
    changes: str = ""
    """The option of `declare` by which an assignment changes the value: `i`, `l` or `u`."""
    spoiled: bool = False
    """An array of which nothing is known: its value is a hole, for every element."""
    uncounted: bool = False
    """An array that may have any number of elements beside the known ones."""
    reference: bool = False
    """A name reference, whose value is the name meant."""
    caller: bool = False
    """Comes from the caller's environment; the script has not set it."""
    name_span: Span = field(default_factory=lambda: Span(0, 0))
    value_span: Span = field(default_factory=lambda: Span(0, 0))
    _through: Value | None = field(default=None, init=False, compare=False, repr=False)

    def through(self, name: str) -> Value:
        """The value as it appears where the variable is used: marked with the variable's name."""
        if self._through is None:
            self._through = marked(self.value or (), name)
        return self._through


class OpenArguments(tuple[Value, ...]):
    """The script's own arguments where nobody has named them.

    `$@` is no word, as without arguments; `$1` is a hole.
    """

    shifted: int

    def __new__(cls, shifted: int = 0) -> OpenArguments:
        """Arguments of which `shifted` are gone."""
        self = super().__new__(cls)
        self.shifted = shifted
        return self


class UncountedArguments(tuple[Value, ...]):
    """Arguments of which one that nobody knows may stand for any number."""

    __slots__ = ()


def is_argument(piece: Piece) -> bool:
    """Whether a part of a value is one of the script's own arguments."""
    found = piece.text
    if not isinstance(found, Hole) or found.kind != "argument":
        return False
    return found.name is not None and found.name != "0"


def arguments_of(words: Iterable[Word]) -> tuple[Value, ...]:
    """Words as the arguments of a function or a script; those of the script count as one each."""
    given = list(words)
    unknown = (p for word in given if word.several for p in word.pieces if not is_argument(p))
    several = any(isinstance(piece.text, Hole) for piece in unknown)
    return (UncountedArguments if several else tuple)(word.pieces for word in given)


def all_arguments(text: str) -> bool:
    """Whether a word of a script stands for all its arguments."""
    return text.strip('"') in ("$@", "${@}", "$*", "${*}")


@dataclass(slots=True)
class Flow:
    """Why a list of commands stops: break, continue, return or exit."""

    kind: str
    levels: int = 1


class Spender(Protocol):
    """Counts what is expanded."""

    def spend(self, characters: int, pieces: int = 1) -> None:
        """Counts expanded text."""
        ...


@dataclass(slots=True, eq=False)
class World:
    """Everything that a command may change, and the conditions assumed so far."""

    variables: dict[str, ShellVariable] = field(default_factory=dict)
    frames: tuple[dict[str, ShellVariable | None], ...] = ()
    """For each function call, the variables that `local` hides."""
    functions: dict[str, Node] = field(default_factory=dict)
    positional: tuple[Value, ...] = ()
    zero: Value = ()
    options: frozenset[str] = frozenset()
    status: int | None = 0
    """The exit status; None when nobody can know it."""
    likely: bool = True
    """With an unknown status: whether success is the ordinary outcome."""
    question: str = ""
    """With an unknown status: what has to be known, where that does not change."""
    flow: Flow | None = None
    ways: Ways = START
    """How the script may have come here: what was assumed."""
    output: list[Piece] | None = None
    """What commands have written, where that is wanted."""
    stdin: Value | None = None
    """What is left of the input, where that is known."""
    piped_to: str | None = None
    """The last program that the output goes through; None where it goes through none."""
    sourced: str = ""
    """What was run and may have set any variable: `source` of an unknown file, and the like."""
    sources: tuple[Value, ...] = ()
    """The other files that are being run, outermost first."""
    written: Mapping[object, Value] = field(default_factory=dict)
    """What it has written into files, by what stands for their path; never changed in place."""
    exit_trap: Sequence[Script] | None = None
    """The lines that run when the shell ends."""
    terminals: Mapping[str, Mapping[str, ShellVariable]] = field(default_factory=dict)
    """The variables of the shells of tmux's panes; never changed in place."""
    exported: dict[str, Word] | None = None
    """The environment of commands; None when it has to be built."""
    exporting: frozenset[str] = frozenset()
    """Variables to export as soon as they are set."""

    def copy(self) -> World:
        """An independent copy."""
        other = World.__new__(World)
        for name in _WORLD:
            setattr(other, name, getattr(self, name))
        other.variables = self.variables.copy()
        other.frames = tuple(frame.copy() for frame in self.frames)
        other.functions = self.functions.copy()
        other.output = None if self.output is None else self.output.copy()
        return other

    def weight(self) -> int:
        """What a copy costs, as the pieces that could be expanded meanwhile."""
        variables = len(self.variables) // 16
        output = len(self.output or ()) // 16
        ways = sum(2 * len(way.answers) for way in self.ways)
        return 1 + ways + variables + output

    def settle(self, status: int | None, likely: bool = True, question: str = "") -> None:
        """Sets the exit status of what has just run."""
        self.status = status
        self.likely = likely
        self.question = question

    def suppose(self, question: str, answer: bool, text: str) -> None:
        """Notes what is taken to hold from here on; ways on which it does not are left out."""
        ways = [way.answered(question, answer, text) for way in self.ways]
        self.ways = tuple(way for way in ways if way is not None)

    def answer_to(self, question: str) -> bool | None:
        """The answer that all ways give; None where one does not, or another one."""
        first = self.ways[0].answers.get(question)
        if first is None or not all(way.agrees(question, first[0]) for way in self.ways[1:]):
            return None
        return first[0]

    def same(self, other: World) -> bool:
        """True when nothing that follows can tell the two worlds apart."""
        ends = self.flow is not None and self.flow.kind == "exit" and self.flow == other.flow
        if ends and self.exit_trap is None and other.exit_trap is None:
            # Only the status and the output of a shell outlive it.
            return self.output == other.output
        return (
            self.alike(other)
            and self.variables == other.variables
            and self.written == other.written
        )

    def alike(self, other: World) -> bool:
        """Whether the two do the same from here on, but for values and what stands in files."""
        return (
            self.flow == other.flow
            and self.positional == other.positional
            and self.options == other.options
            and self.sourced == other.sourced
            and self.exporting == other.exporting
            and self.functions == other.functions
            and self.frames == other.frames
            and self.stdin == other.stdin
            and self.exit_trap == other.exit_trap
            and self.terminals == other.terminals
            and self.output == other.output
        )

    def set(self, name: str, variable: ShellVariable) -> None:
        """Sets a variable."""
        old = self.variables.get(name)
        self.variables[name] = variable
        if variable.exported or (old is not None and old.exported):
            self.exported = None

    def remove(self, name: str) -> None:
        """Unsets a variable, which is then known to have no value."""
        self.variables[name] = ShellVariable()
        self.exporting = self.exporting - {name}
        self.exported = None

    def restore(self, kept: Mapping[str, ShellVariable | None]) -> None:
        """Sets variables back to what they were; None stands for one that was not there."""
        for name, variable in kept.items():
            if variable is None:
                self.variables.pop(name, None)
            else:
                self.variables[name] = variable
            self.exported = None

    def environment(self, session: Spender) -> dict[str, Word]:
        """The variables that commands see, as words."""
        if self.exported is None:
            session.spend(0, 4 * len(self.variables))
            self.exported = {
                name: Word(variable.value, variable.value_span)
                for name, variable in self.variables.items()
                if variable.exported and variable.value is not None and not variable.caller
            }
        return self.exported


_WORLD = tuple(item.name for item in fields(World))


def merge(worlds: list[World], *, status: bool = False) -> list[World]:
    """The worlds without those that cannot be told apart from an earlier one.

    With `status` the exit status of what has just run tells them apart too.
    """
    if len(worlds) < 2:
        return worlds
    kept: list[World] = []
    for world in worlds:
        for other in kept:
            if (other.status == world.status or not status) and other.same(world):
                join(other, world)
                break
        else:
            kept.append(world)
    return kept


def join(world: World, other: World) -> None:
    """Makes `world` stand for `other` too."""
    world.ways = either(world.ways, other.ways)
    if world.status != other.status:
        world.status = None
        world.likely = world.likely or other.likely


def separators(world: World) -> str:
    """IFS."""
    variable = world.variables.get("IFS")
    if variable is None or variable.caller or variable.value is None:
        return " \t\n"
    return known(variable.value) or ""
