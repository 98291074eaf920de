"""Expansions that give lists: `$@`, `${A[@]}`, `${!A[@]}`."""

from __future__ import annotations

from collections.abc import Sequence

from bot.shell.expand.numbers import Unknown, evaluate
from bot.shell.parse.syntax import Parameter, WordNode
from bot.shell.pieces import Value, certain_ones, computed, up_to_hole
from bot.shell.source import Span
from bot.shell.words import Piece
from bot.shell.world.fields import BORDER, PROTECTED, SPLIT, Atom, ExpansionContext
from bot.shell.world.session import CommandFault, Session, hole
from bot.shell.world.state import UncountedArguments, World, separators
from bot.shell.world.values import elements, ordered, target


def joins(star: str, context: ExpansionContext) -> bool:
    """Whether the elements of a list become one text."""
    return context.whole or (context.quoted and star == "*")


def list_atoms(
    session: Session, world: World, values: list[Value], star: str, context: ExpansionContext
) -> list[Atom]:
    """The elements of a list: one word each, or joined for `*`."""
    session.spend(0, len(values))
    atoms: list[Atom] = []
    if joins(star, context):
        separator = separators(world)[:1] if star == "*" else " "
        for index, value in enumerate(values):
            if index and separator:
                where = value[0].span if value else Span(0, 0)
                atoms.append((Piece(separator, where, False), PROTECTED))
            atoms.extend((piece, PROTECTED) for piece in value)
        return atoms
    empty: Value = (Piece("", Span(0, 0)),) if context.quoted else ()
    mark = "" if context.quoted else separators(world)[:1].strip()
    border = (Piece(mark, Span(0, 0), False), SPLIT) if mark else BORDER
    for index, value in enumerate(values):
        if index:
            atoms.append(border)
        atoms.extend((piece, context.mode) for piece in value or empty)
    return atoms


def slice_list(
    session: Session, world: World, node: Parameter, values: list[Value], span: Span
) -> list[Value]:
    """`${A[@]:start:length}` and `${@:start:length}`."""
    try:
        start = _bound(session, world, node.argument, span)
        length = None if node.second is None else _bound(session, world, node.second, span)
    except Unknown as unknown:
        return [unknown.value(span)]
    variable = world.variables.get(target(world, node.name)) if node.every else None
    if not node.every:
        values = [world.zero, *values]
    any_number = isinstance(world.positional, UncountedArguments) and not node.every
    if any_number or (variable is not None and variable.uncounted):
        return _of_any_number(values, start, length, span)
    keys: Sequence[int] = range(len(values))
    if variable is not None and variable.items is not None and not variable.associative:
        keys = [key for key in ordered(variable) if isinstance(key, int)]
    if start < 0:
        start += keys[-1] + 1 if keys else 0
        if start < 0:
            return []
    if length is not None and length < 0:
        raise CommandFault("substring expression < 0")
    values = [value for key, value in zip(keys, values, strict=True) if key >= start]
    return values if length is None else values[:length]


def _of_any_number(values: list[Value], start: int, length: int | None, span: Span) -> list[Value]:
    """A slice of elements of which an unknown one may stand for any number."""
    certain = certain_ones(values)
    if start >= 0 and length is not None and start + length <= certain:
        return values[start : start + length]
    if not 0 <= start <= certain < len(values):
        return [hole("command", "elements of an array", span)]
    return [*values[start:certain], up_to_hole(values[certain])]


def _bound(session: Session, world: World, node: WordNode | None, span: Span) -> int:
    return 0 if node is None else evaluate(session, world, node, span)


def keys_of(session: Session, world: World, node: Parameter, span: Span) -> list[Value]:
    """The values of `${!A[@]}`."""
    variable = world.variables.get(target(world, node.name))
    if variable is None and (session.environment is None or world.sourced):
        return elements(session, world, node.name, span)
    if variable is not None and variable.spoiled:
        return [variable.value or ()]
    if variable is None or variable.items is None:
        return [] if variable is None or variable.value is None else [computed("0", span)]
    return [computed(str(key), span) for key in ordered(variable)]
