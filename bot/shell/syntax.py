"""The syntax tree of a shell script.

Positions are character offsets into the parsed text, the end exclusive. `start` and `end` are
plain integers here, because most nodes never become a `Span`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from bot.shell.words import Piece, Word


@dataclass(slots=True)
class Text:
    """Characters that stand for themselves; `piece.quoted` says whether in quotes."""

    piece: Piece


@dataclass(slots=True)
class Quoted:
    """Parts in double quotes."""

    start: int
    end: int
    parts: list[Part]


@dataclass(slots=True)
class Parameter:
    """`$X` or `${...}`."""

    start: int
    end: int
    name: str
    name_start: int
    name_end: int
    index: WordNode | None = None
    """The subscript, when it is an expression."""
    every: str = ""
    """"@" or "*" for the subscripts that mean all elements."""
    length: bool = False
    """`${#X}`."""
    indirect: bool = False
    """`${!X}`; with `every` the keys of an array."""
    names: str = ""
    """"@" or "*" for `${!prefix@}`."""
    operator: str = ""
    """One of - :- = := ? :? + :+ # ## % %% / // /# /% ^ ^^ , ,, @ and : for a slice."""
    argument: WordNode | None = None
    second: WordNode | None = None
    """The replacement of `/`, the length of a slice."""
    bad: bool = False
    """Bash reads it and fails when it comes to it: "bad substitution"."""


@dataclass(slots=True)
class Substitution:
    """`$(...)`, backquotes, or a process substitution."""

    start: int
    end: int
    body: Script
    process: str = ""
    """"<" or ">" for `<(...)` and `>(...)`."""


@dataclass(slots=True)
class Arithmetic:
    """`$((...))`."""

    start: int
    end: int
    expression: WordNode


Part: TypeAlias = Text | Quoted | Parameter | Substitution | Arithmetic


@dataclass(slots=True)
class WordNode:
    """A word before expansion."""

    start: int
    end: int
    parts: list[Part]
    braces: bool = False
    """An unquoted `{` occurs."""
    tilde: bool = False
    """An unquoted `~` occurs."""
    ready: Word | None = None
    """The expanded word, where it depends on nothing."""


@dataclass(slots=True)
class Element:
    """One element of an array literal: a word, or `[index]=word`."""

    word: WordNode
    index: WordNode | None = None
    append: bool = False


@dataclass(slots=True)
class ArrayLiteral:
    """`(a b [3]=c)` after a `=`."""

    start: int
    end: int
    elements: list[Element]


@dataclass(slots=True)
class Assignment:
    """`name=value`, `name+=value`, `name[index]=value`, `name=(…)`."""

    start: int
    end: int
    name: str
    index: WordNode | None
    append: bool
    value: WordNode | ArrayLiteral

    @property
    def name_end(self) -> int:
        """Where the name ends."""
        return self.start + len(self.name)


@dataclass(slots=True)
class Redirect:
    """A redirection; for a here-document `target` is its body."""

    start: int
    end: int
    operator: str
    target: WordNode


@dataclass(slots=True)
class Simple:
    """A simple command."""

    start: int
    end: int
    assignments: list[Assignment]
    words: list[WordNode | Assignment]
    redirects: list[Redirect]


@dataclass(slots=True)
class Pipeline:
    """Commands joined by `|`, perhaps with `!` in front."""

    start: int
    end: int
    commands: list[Command]
    negated: bool


@dataclass(slots=True)
class AndOr:
    """Pipelines joined by `&&` and `||`."""

    start: int
    end: int
    first: Command
    rest: list[tuple[str, Command]]


@dataclass(slots=True)
class Item:
    """One entry of a list of commands."""

    command: Command
    background: bool = False


@dataclass(slots=True)
class Script:
    """A list of commands: a script, the body of a loop, a substitution."""

    start: int
    end: int
    items: list[Item]


@dataclass(slots=True)
class Group:
    """`{ …; }`."""

    start: int
    end: int
    body: Script


@dataclass(slots=True)
class Subshell:
    """`( … )`."""

    start: int
    end: int
    body: Script


@dataclass(slots=True)
class If:
    """`if`/`elif` branches in order, and `else`."""

    start: int
    end: int
    branches: list[tuple[Script, Script]]
    otherwise: Script | None


@dataclass(slots=True)
class Loop:
    """`while` and `until`."""

    start: int
    end: int
    condition: Script
    body: Script
    until: bool


@dataclass(slots=True)
class For:
    """`for name in words`; without words it runs over the arguments."""

    start: int
    end: int
    name: str
    name_start: int
    words: list[WordNode] | None
    body: Script
    select: bool = False


@dataclass(slots=True)
class ArithmeticFor:
    """`for ((a; b; c))`."""

    start: int
    end: int
    before: WordNode
    condition: WordNode
    after: WordNode
    body: Script


@dataclass(slots=True)
class Clause:
    """One clause of a `case`, with the operator that ends it: `;;`, `;&` or `;;&`."""

    start: int
    end: int
    patterns: list[WordNode]
    body: Script
    ending: str


@dataclass(slots=True)
class Case:
    """`case word in …`."""

    start: int
    end: int
    word: WordNode
    clauses: list[Clause]


@dataclass(slots=True)
class Test:
    """A primary of `[[ ]]`: `operator` is "" for a word alone."""

    start: int
    end: int
    operator: str
    operands: list[WordNode]


@dataclass(slots=True)
class Logic:
    """`!`, `&&` and `||` inside `[[ ]]`."""

    operator: str
    operands: list[Condition]


Condition: TypeAlias = Test | Logic


@dataclass(slots=True)
class Conditional:
    """`[[ … ]]`."""

    start: int
    end: int
    condition: Condition


@dataclass(slots=True)
class ArithmeticCommand:
    """`((…))`."""

    start: int
    end: int
    expression: WordNode


@dataclass(slots=True)
class Function:
    """A function definition."""

    start: int
    end: int
    name: str
    body: Command


@dataclass(slots=True)
class Redirected:
    """A compound command with redirections."""

    start: int
    end: int
    command: Command
    redirects: list[Redirect] = field(default_factory=list)


@dataclass(slots=True)
class Coprocess:
    """`coproc`, which the reader does not evaluate beyond its commands."""

    start: int
    end: int
    command: Command


Command: TypeAlias = (
    Simple
    | Pipeline
    | AndOr
    | Group
    | Subshell
    | If
    | Loop
    | For
    | ArithmeticFor
    | Case
    | Conditional
    | ArithmeticCommand
    | Function
    | Redirected
    | Coprocess
)
