"""Arithmetic on the variables of a world."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bot.base.regex import regex
from bot.shell.expand import arithmetic
from bot.shell.parse.syntax import WordNode
from bot.shell.pieces import Value, computed, first_hole, known
from bot.shell.source import Span
from bot.shell.words import Hole, Piece
from bot.shell.world.fields import QUOTED_WHOLE, value_of
from bot.shell.world.session import CommandFault, ExpansionFault, Session
from bot.shell.world.state import ShellVariable, World
from bot.shell.world.values import (
    AssignedAt,
    assign_element,
    assign_scalar,
    element,
    scalar,
    target,
)

_EVALUATION: Final = 256
_EVALUATED: Final = 16
"""How much dearer an evaluation, and a character of it, is than copying a character."""

_SET: Final = regex(
    r"(?:\+\+|--)\s{0,9}([A-Za-z_]\w*)"
    r"|(?<!\w)([A-Za-z_]\w*+)\s{0,9}(\[[^\]]{0,200}\]\s{0,9})?(?:\+\+|--|(?:[-+*/%&^|]|<<|>>)?=(?!=))"
)
"""Names that an expression sets."""


class Unknown(Exception):  # noqa: N818 - a signal inside the reader
    """The value depends on something that nobody can know."""

    def __init__(self, reason: Hole) -> None:
        super().__init__(reason.reason)
        self.hole = reason

    def value(self, span: Span) -> Value:
        """The hole that an expansion at `span` gives."""
        return (Piece(self.hole, span, False),)


def certain(value: Value) -> str:
    """The text of a value; raises Unknown with the reason where a part is not known."""
    text = known(value)
    if text is None:
        reason = first_hole(value)
        assert reason is not None  # noqa: S101 - a value that is not known has a hole
        raise Unknown(reason)
    return text


class _Numbers:
    """The variables of a world, as arithmetic sees them."""

    def __init__(self, session: Session, world: World, span: Span) -> None:
        self.session = session
        self.world = world
        self.span = span

    def number_text(self, name: str, index: str | None) -> str:
        if index is None:
            value = scalar(self.session, self.world, name, self.span)
        else:
            key = self.key(name, index)
            value = element(self.session, self.world, name, key, self.span)
        if value is None:
            if "nounset" in self.world.options:
                raise ExpansionFault(f"{name}: unbound variable", fatal=True)
            return ""
        text = certain(value)
        # A name in the text is read in its turn: a chain of doubled names grows exponentially.
        self.session.work(_EVALUATION + _EVALUATED * len(text))
        return text

    def key(self, name: str, index: str) -> int | str:
        """The key that the subscript of an array means."""
        variable = self.world.variables.get(target(self.world, name))
        if variable is not None and variable.associative:
            return index
        return integer(self.session, self.world, index, self.span)

    def store_number(self, name: str, index: str | None, value: int) -> None:
        piece = computed(str(value), self.span)
        if index is None:
            assign_scalar(self.session, self.world, name, piece, AssignedAt(self.span, self.span))
            return
        assign_element(self.session, self.world, name, self.key(name, index), piece)


def assign_named(session: Session, world: World, name: str, value: Value, at: AssignedAt) -> None:
    """Gives `NAME` or `NAME[subscript]` a value, as `read` and `printf -v` do; nothing else.

    Raises:
        ExpansionFault: where bash would report an error.

    """
    base, bracket, rest = name.partition("[")
    if not base.isidentifier():
        return
    if not bracket:
        assign_scalar(session, world, name, value, at)
        return
    try:
        key = _Numbers(session, world, at.name).key(base, rest.removesuffix("]"))
    except Unknown as unknown:
        spoiled = ShellVariable(unknown.value(at.value), spoiled=True, name_span=at.name)
        world.set(target(world, base), spoiled)
    else:
        assign_element(session, world, base, key, value)


def integer(session: Session, world: World, text: str, span: Span) -> int:
    """The value of an arithmetic expression.

    Raises:
        Unknown: where a part of it cannot be known.
        CommandFault: where the expression is wrong.
        ExpansionFault: where bash would report another error.

    """
    try:
        session.work(_EVALUATION + _EVALUATED * len(text))
        return arithmetic.evaluate(text, _Numbers(session, world, span))
    except arithmetic.ArithmeticFault as fault:
        raise CommandFault(str(fault)) from None
    except arithmetic.ArithmeticLimit as limit:
        unknown = Unknown(Hole("limit", str(limit)))
        _lose(session, world, text, unknown.value(span))
        raise unknown from None
    except Unknown as unknown:
        _lose(session, world, text, unknown.value(span))
        raise


def certain_text(session: Session, world: World, value: Value, span: Span) -> str:
    """The text of an expression; raises Unknown where a part is not known: `((X = $(nproc) / 2))`.

    What it sets is then unknown as well.
    """
    try:
        return certain(value)
    except Unknown as unknown:
        shown = "".join(piece.text if isinstance(piece.text, str) else "0" for piece in value)
        _lose(session, world, shown, unknown.value(span))
        raise


def _lose(session: Session, world: World, text: str, value: Value) -> None:
    """Gives what an expression sets a value that is not known."""
    span = value[0].span
    for found in _SET.finditer(text):
        name = target(world, found[1] or found[2])
        old = world.variables.get(name)
        if old is not None and old.readonly:
            continue
        if found[3] or (old is not None and (old.items is not None or old.spoiled)):
            world.set(name, ShellVariable(value=value, spoiled=True, name_span=span))
        else:
            assign_scalar(session, world, name, value, AssignedAt(span, span))


def evaluate(session: Session, world: World, node: WordNode, span: Span) -> int:
    """The value of an expression as written.

    Raises:
        Unknown: where a part of it cannot be known.
        CommandFault: where the expression is wrong.
        ExpansionFault: where bash would report another error.

    """
    value = value_of(session.expand(session, world, node.parts, QUOTED_WHOLE))
    return integer(session, world, certain_text(session, world, value, span), span)


def number(session: Session, world: World, node: WordNode, span: Span) -> Value:
    """The value of `$((…))`: one computed piece, or a hole."""
    try:
        return computed(str(evaluate(session, world, node, span)), span)
    except Unknown as unknown:
        return (Piece(replace(unknown.hole, number=True), span, False),)
