"""Conditions on values, with three results: true, false or unknown."""

from __future__ import annotations

from collections.abc import Callable

from bot.base.digits import is_digits, natural_number
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.regex import regex
from bot.shell.expand.numbers import Unknown, integer
from bot.shell.limits import LimitReached
from bot.shell.pieces import Value, certain_ones, known
from bot.shell.source import Span
from bot.shell.words import Hole
from bot.shell.world.session import Session
from bot.shell.world.state import OpenArguments, UncountedArguments, World, is_argument

_MACHINE = ("/dev/", "/proc/", "/sys/", "/usr/", "/opt/")
"""Folders of the machine, which a script does not change."""
_INTEGER = regex(r"[ \t]*[-+]?[0-9]+[ \t]*")
COMPARE = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}


@dataclass(frozen=True, slots=True)
class Truth:
    """The outcome of a condition."""

    outcome: bool | None
    """None when nobody can know it."""
    question: str = ""
    """What has to be known: the same text has the same answer; "" when it may change."""

    def settle(self, world: World) -> None:
        """Sets the status that the condition gives."""
        if self.outcome is None:
            world.settle(None, False, self.question)
        else:
            world.settle(0 if self.outcome else 1)


class TestFault(Exception):  # noqa: N818 - `[` reports it and gives status 2
    """The arguments of `[` are no condition."""


def _identity(value: Value) -> str | None:
    """A value as a text that is the same for the same value; None when it may change.

    An output that was kept in a variable is known by the place where it was written.
    """
    parts: list[str] = []
    for piece in value:
        if not isinstance(piece.text, Hole):
            parts.append(piece.text)
        elif piece.text.name or piece.text.kind in ("unset", "environment", "argument"):
            parts.append(f"\1{piece.text.reason} {piece.text.name}\1")
        elif piece.via:
            parts.append(f"\1{piece.span.start}\1")
        else:
            return None
    return "".join(parts)


def without_arguments(session: Session, value: Value) -> Value:
    """A value as it is when the script is called without arguments, unless it needs some."""
    known_ones = tuple(piece for piece in value if not is_argument(piece))
    return value if len(known_ones) == len(value) or session.needs("arguments") else known_ones


def about(operator: str, *values: Value) -> Truth:
    """An undecided verdict on values."""
    names = [_identity(value) for value in values]
    kept = [name for name in names if name is not None]
    if len(kept) < len(names):
        return Truth(None)
    return Truth(None, "\0".join([operator, *kept]))


def negated(verdict: Truth) -> Truth:
    """The opposite of a verdict."""
    if verdict.outcome is None:
        return Truth(None, "!" + verdict.question if verdict.question else "")
    return Truth(not verdict.outcome)


def both(left: Truth, right: Truth) -> Truth:
    """Whether two verdicts both hold."""
    if left.outcome is False or right.outcome is False:
        return Truth(False)
    if left.outcome is None:
        if right.outcome is None:
            known_ = left.question and right.question
            return Truth(None, f"({left.question}&&{right.question})" if known_ else "")
        return left
    return right


def empty(value: Value) -> Truth:
    """Whether a value is empty."""
    if any(isinstance(piece.text, str) and piece.text for piece in value):
        return Truth(False)
    if any(isinstance(piece.text, Hole) for piece in value):
        return about("-z", value)
    return Truth(True)


def equal(left: Value, right: Value) -> Truth:
    """Whether two values are equal."""
    one, two = known(left), known(right)
    if one is not None and two is not None:
        return Truth(one == two)
    if one == "":
        return empty(right)
    if two == "":
        return empty(left)
    if _differ(left, right, 0) or _differ(left, right, -1):
        return Truth(False)
    return about("=", left, right)


def _differ(left: Value, right: Value, end: int) -> bool:
    """True when the known characters at one end of two values differ."""
    if not left or not right:
        return False
    one, two = left[end].text, right[end].text
    if not isinstance(one, str) or not isinstance(two, str):
        return False
    length = min(len(one), len(two))
    if end == 0:
        return one[:length] != two[:length]
    return one[-length:] != two[-length:] if length else False


def unary(session: Session, world: World, operator: str, value: Value) -> Truth:
    """The outcome of an operator such as `-n` or `-f` on a value."""
    if operator == "-z":
        return empty(value)
    if operator == "-n":
        return negated(empty(value))
    if operator in ("-f", "-e", "-r", "-s") and session.tree.known:
        path = session.tree.path(world, value)
        try:
            size = session.tree.size(path, session.at) if path else None
        except LimitReached as reached:
            session.limit(reached, message("a file is not looked for"))
            size = None
        if size or (size is not None and operator != "-s"):
            return Truth(True)
    text = known(value)
    if operator == "-v":
        return _is_set(session, world, text)
    if operator == "-o":
        return Truth(text in world.options) if text is not None else Truth(None)
    if operator == "-R":
        return Truth(False) if text is not None else Truth(None)
    if text is not None and text.startswith(_MACHINE):
        return Truth(None, f"{operator}\0{text}")
    return Truth(False) if text == "" and operator != "-t" else Truth(None)


def _is_set(session: Session, world: World, name: str | None) -> Truth:
    if name is None:
        return Truth(None)
    if is_digits(name) and not isinstance(world.positional, OpenArguments):
        any_number = isinstance(world.positional, UncountedArguments)
        given = certain_ones(world.positional) if any_number else len(world.positional)
        there = name == "0" or natural_number(name) in range(1, given + 1)
        return Truth(None if any_number and not there else there)
    base, bracket, rest = name.partition("[")
    variable = world.variables.get(base)
    if variable is None:
        if session.environment is None or world.sourced:
            return Truth(None, f"-v\0{name}")
        return Truth(False)
    if not bracket:
        if variable.items is not None:
            return Truth((0 in variable.items) or ("0" in variable.items))
        return Truth(variable.value is not None)
    key = rest.removesuffix("]")
    items = variable.items or {}
    if key in ("@", "*"):
        return Truth(bool(items))
    return Truth(key in items or natural_number(key) in items)


def plain_number(value: Value) -> int | None:
    """The number that a value is, for `[`; None when it is unknown.

    Raises:
        TestFault: it is none.

    """
    text = known(value)
    if text is None:
        return None
    if not _INTEGER.fullmatch(text) or len(text) > 25:
        raise TestFault(f"{text}: integer expression expected")
    return int(text)


def arithmetic_number(session: Session, world: World, value: Value) -> int | None:
    """The number that a value is as an expression, for `[[`; None when it is unknown."""
    text = known(value)
    if text is None:
        return None
    try:
        return integer(session, world, text, value[0].span if value else Span(0, 0))
    except Unknown:
        return None


def binary(
    operator: str, left: Value, right: Value, number: Callable[[Value], int | None]
) -> Truth:
    """The outcome of an operator such as `=` or `-lt` on two values, which `number` reads."""
    if operator in ("=", "=="):
        return equal(left, right)
    if operator == "!=":
        return negated(equal(left, right))
    if operator in ("<", ">"):
        one, two = known(left), known(right)
        if one is None or two is None:
            return about(operator, left, right)
        return Truth(one < two if operator == "<" else one > two)
    compare = COMPARE.get(operator)
    if compare is None:
        return Truth(None)
    first, second = number(left), number(right)
    if first is None or second is None:
        return about(operator, left, right)
    return Truth(compare(first, second))
