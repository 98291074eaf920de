"""From the bytes of a script to what it would run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import product
from typing import Final, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.regex import regex
from bot.shell.expand.expansion import expand, tildes
from bot.shell.limits import LimitReached, ShellLimits
from bot.shell.parse.parser import ScriptParser
from bot.shell.parse.places import Places
from bot.shell.pieces import Value, computed
from bot.shell.run.evaluator import run_script
from bot.shell.run.slurm import header_words, job_variables
from bot.shell.source import Source, Span
from bot.shell.words import Comment, Piece, Problem, Reading
from bot.shell.world.session import Need, Session, hole
from bot.shell.world.state import OpenArguments, ShellVariable, World
from bot.shell.world.tree import SCRIPT_PREFIX, Files, Tree

_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_NO_LIMITS = ShellLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """How a script is called, as far as that is known."""

    environment: Mapping[str, str] | None = None
    """Every variable that the caller sets; None when nobody knows them, which leaves a hole
    wherever the script uses a variable that it does not set itself."""
    assumed: Mapping[str, str] = field(default_factory=dict)
    """Variables that the caller sets, where the others stay as `environment` says."""
    arguments: Sequence[str] | None = None
    """`$1`, `$2`, …; None when nobody has named them: the script is then read as it runs without
    any (`$@` is no word), `$1` is a hole, and where the script does nothing without arguments, it
    is read for all that they may be."""
    path: str | None = None
    """The path of the script in the tree from whose root it is called, where that is not the one
    of its messages."""


_UNKNOWN_CALLER = Invocation()


def read(
    data: bytes,
    path: str,
    invocation: Invocation = _UNKNOWN_CALLER,
    *,
    files: Files | None = None,
    limits: ShellLimits = _NO_LIMITS,
) -> Reading:
    """Reads a script without running it.

    Args:
        data: the file.
        path: its path, for messages and for `$0`.
        invocation: how it is called.
        files: the files of the tree in which the script stands, by their paths relative to its
            root, from which the script is taken to be called; what it sources, and the scripts
            that it runs, are then read too. Without it nothing but `data` is.
        limits: bounds on what the reading may cost.

    Returns:
        What the script would run. Never raises: whatever is wrong is a `Problem`.

    """
    return next(readings(data, path, invocation, files=files, limits=limits))


def readings(
    data: bytes,
    path: str,
    invocation: Invocation = _UNKNOWN_CALLER,
    *,
    files: Files | None = None,
    limits: ShellLimits = _NO_LIMITS,
) -> Iterator[Reading]:
    """Reads a script as `read` does, and then for all that its caller may give.

    That second reading is one for every way, although the script does something without arguments,
    and without variables that are empty unless given. There is none where it is the first.
    """
    text, problems = _decode(data, limits)
    source = Source(path, text)
    if any(problem.kind in ("limit", "encoding") for problem in problems):
        yield Reading(source, (), (), (), tuple(problems))
        return
    environment, arguments = invocation.environment, invocation.arguments
    given = {**(environment or {}), **invocation.assumed}
    place = path if invocation.path is None else invocation.path
    world = _world(place, given, arguments, environment is not None)
    if environment is None and _SUBMITTED.search(text):
        for name in _OF_A_JOB:
            number = hole("environment", "the number of the job", Span(0, 0), name)
            world.variables.setdefault(name, ShellVariable(number, exported=True, caller=True))
        world.variables = job_variables(header_words(text)) | world.variables
    done: list[_Evaluated] = []

    def evaluated(needed: frozenset[Need]) -> _Evaluated:
        for one in done:
            if one[0].asked.isdisjoint(one[0].needed ^ needed):
                return one  # Nothing in it depends on how the two differ.
        session = Session(limits, Places(text), environment, Tree(files, place, given, limits))
        session.needed, session.given = needed, frozenset(given)
        done.append((session, _evaluate(session, world.copy())))
        return done[-1]

    looks = _ARGUMENTS.search(text) is not None
    may_be_given = _EMPTY_DEFAULT.search(text) is not None
    wanted: set[Need] = {"arguments"} if looks and arguments is None else set()
    wanted |= {"variables"} if may_be_given and environment is None else set()
    first = _furthest(evaluated, wanted, every_way=False)
    yield _reading(source, *first, problems)
    if looks or may_be_given:
        whole = _furthest(evaluated, wanted, every_way=True)
        if whole is not first:
            yield _reading(source, *whole, problems)


_Evaluated: TypeAlias = tuple[Session, list[Comment]]
_NOTHING: Final[frozenset[Need]] = frozenset()
_GIVEN: Final[frozenset[Need]] = frozenset({"arguments"})
_SET: Final[frozenset[Need]] = frozenset({"variables"})
_ROUNDS: Final[tuple[frozenset[Need], ...]] = (
    _NOTHING,
    frozenset({"rounds"}),
    frozenset({"rounds", "every round"}),
)
_ARGUMENTS = regex(r"\$[#@*1-9]|\$\{[#!]?[#@*1-9]|\bgetopts\b")
"""What tells that a script looks at its arguments."""
_SUBMITTED = regex(r"(?m)^#SBATCH\b")
"""What tells that a script is read by Slurm's sbatch."""
_OF_A_JOB = ("SLURM_JOB_ID", "SLURM_JOBID")
"""What a script asks for that hands itself in where no job runs it."""
_EMPTY_DEFAULT = regex(r"\$\{\w+:?[-=]\}")
"""What is empty where the caller sets nothing."""


def _furthest(
    evaluated: Callable[[frozenset[Need]], _Evaluated],
    wanted: Collection[Need],
    *,
    every_way: bool,
) -> _Evaluated:
    """The evaluation for nothing of what the caller may give, unless one for more leads further.

    `wanted` is what the script looks at. With `every_way` others are tried although something is
    done without.
    """
    needed = _GIVEN if every_way and "arguments" in wanted else _NOTHING
    found = evaluated(needed)
    if found[0].ended and "arguments" in wanted and not needed:
        needed = _GIVEN
        found = evaluated(needed)
    variables = (_NOTHING, _SET) if "variables" in wanted else (_NOTHING,)
    for rounds, more in product(_ROUNDS, variables):
        further = bool(more) if not rounds else _may_mix(found[0])
        if not (further and (found[0].ended or every_way)):
            continue
        other = evaluated(needed | more | rounds)
        if _goes_further(other[0], found[0], every_way=every_way):
            found, needed = other, needed | more
    return found


def _may_mix(session: Session) -> bool:
    """Whether rounds taken together may lead further, and at no cost beyond the bounds."""
    return session.mixable and not any(problem.kind == "limit" for problem in session.problems)


def _goes_further(session: Session, other: Session, *, every_way: bool) -> bool:
    """Whether a reading leads where another one does not."""
    further = _reach(session) > _reach(other)
    return further or (every_way and _starts(session) > _starts(other))


def _reach(session: Session) -> int:
    """How far into the text the commands go."""
    return max(_starts(session), default=-1)


def _starts(session: Session) -> set[int]:
    """Where in the text commands begin, but for what runs when the script ends."""
    return {command.span.start for command in session.commands[: session.before_end]}


def _evaluate(session: Session, world: World) -> list[Comment]:
    """Parses the text of the session and runs it; gives its comments."""
    session.expand = expand
    session.tildes = tildes
    try:
        parser = ScriptParser(session.places.text, session.limits, session.places)
        lines, problems = parser.lines()
        session.problems.extend(problems)
        run_script(session, lines, world)
    except RecursionError:
        session.limit(
            LimitReached("depth", session.limits, Span(0, 0)),
            message("the script is not read to its end"),
        )
        return []
    return parser.cursor.comments


_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def _decode(data: bytes, limits: ShellLimits) -> tuple[str, list[Problem]]:
    """The text of a file, without a byte order mark, and what is wrong with it."""
    problems: list[Problem] = []
    if len(data) > limits.bytes:
        reached = LimitReached("bytes", limits, Span(0, 0))
        return "", [reached.problem(message("the file is not read"))]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        at = len(data[: error.start].decode("utf-8"))
        if data.startswith(_UTF_16):
            why = message("the file is UTF-16, which bash does not read; save it as UTF-8")
        else:
            why = message(
                "the file is not text: byte {byte} is not UTF-8; save it as UTF-8",
                byte=f"0x{data[error.start]:02x}",
            )
        return text, [Problem("encoding", why, Span(at, at + 1))]
    if text.startswith(_BOM):
        text = text[1:]
        why = message(
            "the file starts with a byte order mark, which bash takes for a part of the first "
            "word; save it as UTF-8 without one"
        )
        problems.append(Problem("syntax", why, Span(0, 0)))
    at = text.find("\0")
    if at >= 0:
        why = message("the file is not text: it contains a NUL byte")
        return text, [Problem("encoding", why, Span(at, at + 1))]
    at = text.find("\r\n")
    if at >= 0:
        why = message(
            "the file has Windows line endings (CRLF), which bash takes for parts of words; "
            "convert it with dos2unix"
        )
        problems.append(Problem("syntax", why, Span(at, at + 2)))
    return text, problems


def _world(
    path: str, environment: Mapping[str, str], arguments: Sequence[str] | None, exact: bool
) -> World:
    """The state in which the script starts."""
    world = World()
    nowhere = Span(0, 0)
    for name, text in environment.items():
        value = computed(text, nowhere) if text else ()
        world.variables[name] = ShellVariable(value, exported=True, caller=True)
    world.positional = (
        OpenArguments()
        if arguments is None
        else tuple(computed(text, nowhere) if text else () for text in arguments)
    )
    world.zero = _zero(path, exact)
    return world


def _zero(path: str, exact: bool) -> Value:
    """`$0`: the file's name is certain, its folder depends on how the script is called."""
    nowhere = Span(0, 0)
    if exact:
        return computed(path, nowhere)
    return (Piece(SCRIPT_PREFIX, nowhere, False), Piece(path.rsplit("/", 1)[-1], nowhere, False))


def _reading(
    source: Source, session: Session, comments: list[Comment], problems: list[Problem]
) -> Reading:
    places = session.places
    found = [*problems, *session.problems]
    if places.plain:
        return Reading(
            source,
            tuple(session.commands),
            tuple(session.variables),
            tuple(comments),
            tuple(found),
            tuple(session.unread),
        )
    return Reading(
        source,
        tuple(places.command(command) for command in session.commands),
        tuple(places.variable(variable) for variable in session.variables),
        tuple(Comment(item.text, places.outer(item.span)) for item in comments),
        tuple(
            Problem(item.kind, item.message, places.outer(item.span))
            if item not in problems
            else item
            for item in found
        ),
        tuple(session.unread),
    )
