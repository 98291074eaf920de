"""Assignments: scalars, elements, arrays, and the attributes of `declare`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.shell.braces import expand_braces
from bot.shell.expansion import fields, text_of
from bot.shell.limits import LimitReached
from bot.shell.numbers import Unknown, integer
from bot.shell.session import ExpansionFault, Session, hole
from bot.shell.source import Span
from bot.shell.state import Value, Variable, World, known, size
from bot.shell.syntax import ArrayLiteral, Assignment, Part, Text, WordNode
from bot.shell.values import AssignedAt, assign_scalar, converted, scalar, target
from bot.shell.words import Piece, Word
from bot.shell.words import Variable as Record


def value_span(node: Assignment) -> Span:
    """Where the value of an assignment stands."""
    return Span(node.value.start, node.value.end)


def bounded_text(session: Session, world: World, node: WordNode) -> Value:
    """The right side of an assignment; a hole where a bound is reached."""
    try:
        return text_of(session, world, node, assigned=True)
    except LimitReached as reached:
        if reached.bound != "expansion":
            raise
        session.limit(reached, "a value is left unknown")
        return hole("limit", "value longer than the reader keeps", Span(node.start, node.end))


def carry_out(session: Session, world: World, node: Assignment) -> None:
    """Carries out an assignment.

    Raises:
        ExpansionFault: where bash would report an error.

    """
    name = target(world, node.name)
    old = world.variables.get(name)
    if old is not None and old.readonly:
        raise ExpansionFault(f"{name}: readonly variable", fatal=True)
    name_span = Span(node.start, node.name_end)
    if isinstance(node.value, ArrayLiteral):
        _assign_array(session, world, name, node, node.value, old)
        return
    value = bounded_text(session, world, node.value)
    span = value_span(node)
    if node.index is not None:
        _assign_element(session, world, name, node, value, old)
        return
    if old is not None and old.integer:
        before = scalar(session, world, name, name_span) if node.append else None
        value = _integer(session, world, value, before, span)
    elif node.append:
        before = _before(session, world, name, old, name_span)
        if size(before) + size(value) > session.limits.expansion:
            at = session.at
            session.limit(
                LimitReached("expansion", session.limits.expansion, at.start, at.end),
                "a value is left unknown",
            )
            value = hole("limit", "value longer than the reader keeps", span)
        else:
            value = (*before, *value)
            session.spend(size(value), len(value))
    assign_scalar(session, world, name, value, AssignedAt(name_span, span))


def _before(session: Session, world: World, name: str, old: Variable | None, span: Span) -> Value:
    """What `+=` appends to: without the name, which it did not come through."""
    if old is not None and not old.caller:
        if old.items is not None:
            return old.items.get("0" if old.associative else 0, ())
        return old.value or ()
    return scalar(session, world, name, span) or ()


def _integer(
    session: Session, world: World, value: Value, before: Value | None, span: Span
) -> Value:
    text, old = known(value), known(before or ())
    if text is None or old is None:
        return value if text is None else before or ()
    try:
        total = integer(session, world, text, span)
        if old:
            total += integer(session, world, old, span)
    except Unknown as unknown:
        return unknown.value(span)
    result = str(total)
    return value if result == text else (Piece(result, span, False),)


def subscript_key(
    session: Session, world: World, index: WordNode, associative: bool
) -> int | str | None:
    """The key that a subscript means; None when it is unknown."""
    text = known(text_of(session, world, index))
    if text is None or associative:
        return text
    try:
        return integer(session, world, text, Span(index.start, index.end))
    except Unknown:
        return None


def _spoiled(world: World, name: str, node: Assignment) -> None:
    """An element with an unknown key was set: every element may be the one."""
    value = hole("unsupported", f"array {name} has an unknown subscript", value_span(node))
    span = Span(node.start, node.name_end)
    world.set(name, Variable(value=value, spoiled=True, name_span=span))


def _assign_element(
    session: Session,
    world: World,
    name: str,
    node: Assignment,
    value: Value,
    old: Variable | None,
) -> None:
    assert node.index is not None  # noqa: S101 - the caller has checked
    associative = old is not None and old.associative
    key = subscript_key(session, world, node.index, associative)
    if key is None:
        _spoiled(world, name, node)
        return
    items = _items(old)
    if isinstance(key, int) and key < 0:
        key += max((k for k in items if isinstance(k, int)), default=-1) + 1
        if key < 0:
            raise ExpansionFault(f"{name}: bad array subscript")
    if old is not None and old.integer:
        value = _integer(
            session, world, value, items.get(key) if node.append else None, value_span(node)
        )
    elif node.append:
        value = (*items.get(key, ()), *value)
        session.spend(size(value), len(value))
    items[key] = converted(old, value)
    _store(session, world, name, node, items, old)
    span = Span(node.start, node.name_end)
    session.assigned(node.name, value, span, value_span(node), False)


def _items(old: Variable | None) -> dict[int | str, Value]:
    if old is None or old.caller:
        return {}
    if old.items is not None:
        return dict(old.items)
    return {} if old.value is None else {0: old.value}


def _store(
    session: Session,
    world: World,
    name: str,
    node: Assignment,
    items: dict[int | str, Value],
    old: Variable | None,
) -> None:
    session.spend(0, 3 * len(items))
    if len(items) + len(world.variables) > session.limits.variables:
        raise LimitReached("variables", session.limits.variables, node.start, node.end)
    base = old if old is not None else Variable()
    changed = replace(
        base,
        value=None,
        items=items,
        caller=False,
        name_span=Span(node.start, node.name_end),
        value_span=value_span(node),
    )
    world.set(name, changed)


def _assign_array(
    session: Session,
    world: World,
    name: str,
    node: Assignment,
    literal: ArrayLiteral,
    old: Variable | None,
) -> None:
    associative = old is not None and old.associative
    items = _items(old) if node.append else {}
    following = max((k for k in items if isinstance(k, int)), default=-1) + 1
    pending: list[Value] = []
    for element in literal.elements:
        if element.index is not None:
            key = subscript_key(session, world, element.index, associative)
            value = bounded_text(session, world, element.word)
            if key is None:
                _spoiled(world, name, node)
                return
            items[key] = converted(old, (*items.get(key, ()), *value) if element.append else value)
            if isinstance(key, int):
                following = key + 1
            continue
        for value in fields(session, world, element.word):
            if associative:
                pending.append(value)
            else:
                items[following] = converted(old, value)
                following += 1
        session.spend_words(len(items) + len(pending))
    for position in range(0, len(pending), 2):
        text = known(pending[position])
        if text is None:
            _spoiled(world, name, node)
            return
        items[text] = pending[position + 1] if position + 1 < len(pending) else ()
    _store(session, world, name, node, items, old)
    joined: list[Piece] = []
    for value in items.values():
        if joined:
            joined.append(Piece(" ", Span(literal.start, literal.start + 1), False))
        joined.extend(value)
    span = Span(node.start, node.name_end)
    session.assigned(node.name, tuple(joined), span, value_span(node), False)


def prefixed(session: Session, world: World, node: Assignment) -> tuple[str, Value, Record]:
    """The assignment in front of a command, not carried out in the shell itself."""
    name_span = Span(node.start, node.name_end)
    if isinstance(node.value, ArrayLiteral):
        value: Value = hole("unsupported", "array in front of a command", value_span(node))
    else:
        value = bounded_text(session, world, node.value)
        if node.append:
            old = world.variables.get(node.name)
            value = (*_before(session, world, node.name, old, name_span), *value)
    record = session.assigned(node.name, value, name_span, value_span(node), True)
    return node.name, value, record


def declared(session: Session, world: World, node: Assignment) -> Sequence[Word | Assignment]:
    """An assignment given to `export` and its like, with its value expanded.

    All values are expanded before the first is assigned: `local a=1 b=$a` takes the old `a`.
    Where braces expand in it, bash forgets that it is one: `export X={a,$B}` becomes the plain
    words `X=a X=$B`, which are split.
    """
    value = node.value
    if not isinstance(value, WordNode):
        return [node]
    versions = expand_braces(session, value) if value.braces else [value.parts]
    if versions == [value.parts]:
        ready = Word(bounded_text(session, world, value), Span(value.start, value.end))
        return [replace(node, value=WordNode(value.start, value.end, [], ready=ready))]
    name = session.text(node.start, value.start)
    first: Part = Text(Piece(name, Span(node.start, value.start)))
    span = Span(node.start, node.end)
    return [
        Word(pieces, span)
        for parts in versions
        for pieces in fields(session, world, WordNode(node.start, node.end, [first, *parts]))
    ]
