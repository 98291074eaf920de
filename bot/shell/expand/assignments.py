"""Assignments: scalars, elements, arrays, and the attributes of `declare`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.base.messages import message
from bot.shell.expand.braces import expand_braces
from bot.shell.expand.expansion import fields, may_be_several, text_of
from bot.shell.expand.numbers import Unknown, integer
from bot.shell.limits import LimitReached
from bot.shell.parse.syntax import ArrayLiteral, Assignment, Text, WordNode, WordPart
from bot.shell.pieces import Value, computed, known, size
from bot.shell.source import Span
from bot.shell.words import Piece, Variable, Word
from bot.shell.world.session import Session, hole
from bot.shell.world.state import ShellVariable, World
from bot.shell.world.values import (
    AssignedAt,
    assign_scalar,
    converted,
    demand_writable,
    following_index,
    index_in,
    items_of,
    scalar,
    target,
)


def bounded_text(session: Session, world: World, node: WordNode) -> Value:
    """The right side of an assignment; a hole where a bound is reached."""
    try:
        return text_of(session, world, node, assigned=True)
    except LimitReached as reached:
        if reached.bound != "expansion":
            raise
        session.limit(reached, message("a value is left unknown"))
        return hole("limit", "value longer than the reader keeps", node.span)


def carry_out(session: Session, world: World, node: Assignment) -> None:
    """Carries out an assignment.

    Raises:
        ExpansionFault: where bash would report an error.

    """
    _Assigning(session, world, node).run()


class _Assigning:
    """One assignment under way."""

    __slots__ = (
        "name", "name_span", "node", "old", "session", "uncounted", "value_span", "world"
    )  # fmt: skip

    def __init__(self, session: Session, world: World, node: Assignment) -> None:
        self.session = session
        self.world = world
        self.node = node
        self.name = target(world, node.name)
        self.old = world.variables.get(self.name)
        """The variable as it was before the value was expanded."""
        self.name_span = node.name_span
        self.value_span = node.value.span
        kept = node.append or node.index is not None
        self.uncounted = kept and self.old is not None and self.old.uncounted

    def run(self) -> None:
        """Carries it out."""
        demand_writable(self.world, self.name)
        if isinstance(self.node.value, ArrayLiteral):
            self._array(self.node.value)
            return
        value = bounded_text(self.session, self.world, self.node.value)
        if self.old is not None and self.old.changes == "i" and not self.node.append:
            value = self._evaluated(value)
        if self.node.index is not None:
            self._element(self.node.index, value)
        else:
            self._scalar(value)

    def _evaluated(self, value: Value) -> Value:
        """What `declare -i` makes of a value: as it is where a part is unknown."""
        text = known(value)
        try:
            number = (
                None if text is None else integer(self.session, self.world, text, self.value_span)
            )
        except Unknown:
            return value
        return (
            value
            if number is None or str(number) == text
            else computed(str(number), self.value_span)
        )

    def _scalar(self, value: Value) -> None:
        session, world = self.session, self.world
        if self.node.append:
            before = _before(session, world, self.name, self.old, self.name_span)
            if size(before) + size(value) > session.limits.expansion:
                reached = LimitReached("expansion", session.limits, session.at)
                session.limit(reached, message("a value is left unknown"))
                value = hole("limit", "value longer than the reader keeps", self.value_span)
            else:
                value = (*before, *value)
                session.spend(size(value), len(value))
        at_spans = AssignedAt(self.name_span, self.value_span)
        assign_scalar(session, world, self.name, value, at_spans)

    def _element(self, index: WordNode, value: Value) -> None:
        session, old = self.session, self.old
        key = self._key(index)
        if key is None or (old is not None and old.spoiled):
            self._spoil()
            return
        items = items_of(old)
        key = index_in(items, key, self.name)
        if self.node.append:
            value = (*items.get(key, ()), *value)
            session.spend(size(value), len(value))
        items[key] = converted(old, value, self.value_span)
        self._store(items, value)

    def _array(self, literal: ArrayLiteral) -> None:
        items = items_of(self.old) if self.node.append else {}
        if not self._fill(items, literal):
            self._spoil()
            return
        joined: list[Piece] = []
        for value in items.values():
            if joined:
                joined.append(Piece(" ", Span(literal.start, literal.start + 1), False))
            joined.extend(value)
        self._store(items, tuple(joined))

    def _fill(self, items: dict[int | str, Value], literal: ArrayLiteral) -> bool:
        """Adds the elements of a literal; False where which they are is unknown."""
        following = following_index(items)
        for element in literal.elements:
            if element.index is not None:
                key = self._key(element.index)
                value = bounded_text(self.session, self.world, element.word)
                if key is None:
                    return False
                value = (*items.get(key, ()), *value) if element.append else value
                items[key] = converted(self.old, value, self.value_span)
                following = key + 1 if isinstance(key, int) else following
                continue
            values = fields(self.session, self.world, element.word)
            self.uncounted |= may_be_several(self.world, element.word, values)
            if values and self.old is not None and self.old.associative:
                return False  # `A=(key value)` is an error before bash 5.1.
            kept = (converted(self.old, one, self.value_span) for one in values)
            items.update(enumerate(kept, following))
            following += len(values)
            self.session.spend_words(len(items))
        return True

    def _key(self, index: WordNode) -> int | str | None:
        """The key that a subscript means; None when it is unknown."""
        text = known(text_of(self.session, self.world, index))
        if text is None or (self.old is not None and self.old.associative):
            return text
        try:
            return integer(self.session, self.world, text, index.span)
        except Unknown:
            return None

    def _spoil(self) -> None:
        """An element with an unknown key was set: every element may be the one."""
        reason = f"array {self.name} has an unknown subscript"
        value = hole("unsupported", reason, self.value_span)
        old = self.old if self.old is not None else ShellVariable()
        self.world.set(
            self.name,
            replace(
                old, value=value, items=None, caller=False, spoiled=True, name_span=self.name_span
            ),
        )

    def _store(self, items: dict[int | str, Value], written: Value) -> None:
        """Sets the elements, and lists the assignment with what was written."""
        session, world, node = self.session, self.world, self.node
        session.spend(0, 3 * len(items))
        if len(items) + len(world.variables) > session.limits.variables:
            raise LimitReached("variables", session.limits, node.span)
        changed = replace(
            self.old if self.old is not None else ShellVariable(),
            value=None,
            items=items,
            spoiled=node.append and self.old is not None and self.old.spoiled,
            uncounted=self.uncounted,
            caller=False,
            name_span=self.name_span,
            value_span=self.value_span,
        )
        world.set(self.name, changed)
        session.assigned(node.name, written, self.name_span, self.value_span)


def _before(
    session: Session, world: World, name: str, old: ShellVariable | None, span: Span
) -> Value:
    """What `+=` appends to: without the name, which it did not come through."""
    if old is not None and not old.caller:
        if old.items is not None:
            return old.items.get("0" if old.associative else 0, ())
        return old.value or ()
    return scalar(session, world, name, span) or ()


def prefixed(session: Session, world: World, node: Assignment) -> tuple[str, Value, Variable]:
    """The assignment in front of a command, not carried out in the shell itself.

    Raises:
        ExpansionFault: the variable is read-only.

    """
    name_span, value_span = node.name_span, node.value.span
    demand_writable(world, node.name)
    if isinstance(node.value, ArrayLiteral):
        value: Value = hole("unsupported", "array in front of a command", value_span)
    else:
        value = bounded_text(session, world, node.value)
        if node.append:
            old = world.variables.get(node.name)
            value = (*_before(session, world, node.name, old, name_span), *value)
    record = session.assigned(node.name, value, name_span, value_span)
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
        ready = Word(bounded_text(session, world, value), value.span)
        return [replace(node, value=WordNode(value.start, value.end, [], ready=ready))]
    name = session.text(Span(node.start, value.start))
    first: WordPart = Text(Piece(name, Span(node.start, value.start)))
    span = node.span
    return [
        Word(pieces, span)
        for parts in versions
        for pieces in fields(session, world, WordNode(node.start, node.end, [first, *parts]))
    ]
