"""`$X` and `${X…}`: every form of parameter expansion."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from bot.base.digits import is_digits
from bot.shell.expand.lists import joins, keys_of, list_atoms, slice_list
from bot.shell.expand.numbers import Unknown, certain, evaluate
from bot.shell.expand.transformations import transform
from bot.shell.parse.syntax import Parameter, Text, WordNode
from bot.shell.pieces import Value, computed, first_hole, known
from bot.shell.source import Span
from bot.shell.words import Hole, Piece
from bot.shell.world.fields import (
    BREAK,
    OPERAND,
    PROTECTED,
    QUOTED,
    WHOLE,
    Atom,
    ExpansionContext,
    value_of,
)
from bot.shell.world.session import ExpansionFault, Session, hole
from bot.shell.world.state import OpenArguments, ShellVariable, World, is_argument
from bot.shell.world.values import (
    AssignedAt,
    assign_element,
    assign_scalar,
    element,
    elements,
    scalar,
    target,
)


def expand_parameter(
    session: Session, world: World, node: Parameter, context: ExpansionContext
) -> list[Atom]:
    """What a parameter expansion gives.

    Raises:
        ExpansionFault: where bash would report an error.

    """
    if node.bad:
        raise ExpansionFault("bad substitution")
    if node.plain and (value := scalar(session, world, node.name, node.span)) is not None:
        mode = context.mode
        return [(piece, mode) for piece in value]
    expansion = _Expansion(session, world, node, context)
    return expansion.indirect() if node.names or node.indirect else expansion.plain()


def _hole_atoms(value: Value | None, span: Span, context: ExpansionContext) -> list[Atom]:
    """The first hole of a value as the result of an expansion."""
    return [(Piece(first_hole(value or ()) or "", span, False), context.mode)]


class _Expansion:
    """One parameter expansion under way."""

    __slots__ = ("context", "node", "session", "span", "world")

    def __init__(
        self, session: Session, world: World, node: Parameter, context: ExpansionContext
    ) -> None:
        self.session = session
        self.world = world
        self.node = node
        self.context = context
        self.span = node.span

    def plain(self) -> list[Atom]:
        """`$X` and `${X…}`."""
        node = self.node
        if node.every or node.name in "@*":
            return self._expand_all()
        value = self._value()
        if node.length:
            return self._atoms(self._length(value))
        if node.operator and node.operator[-1] in "-=?+":
            return self._alternative(value)
        if value is None:
            # An unset parameter stays nothing, even where `*` would match the empty text.
            self._demand()
            return []
        if node.operator:
            value = transform(self.session, self.world, node, value, self.span)
        return self._atoms(value)

    def indirect(self) -> list[Atom]:
        """`${!X}`, `${!A[@]}` and `${!prefix@}`."""
        session, world, node = self.session, self.world, self.node
        if node.names:
            return self._list(
                [hole("unsupported", f"names of the variables {node.name}…", self.span)], node.names
            )
        if node.every:
            return self._list(keys_of(session, world, node, self.span), node.every)
        variable = world.variables.get(node.name)
        if variable is not None and variable.reference and not node.operator:
            return [(piece, PROTECTED) for piece in variable.value or ()]
        value = self._value()
        if value is None:
            raise ExpansionFault(f"{node.name}: invalid indirect expansion")
        name = known(value)
        if name is None:
            return _hole_atoms(value, self.span, self.context)
        return _Expansion(session, world, self._indirect_target(name), self.context).plain()

    def _indirect_target(self, name: str) -> Parameter:
        """The expansion of the parameter that `${!X}` names."""
        base, bracket, rest = name.partition("[")
        every = ""
        index: WordNode | None = None
        if bracket and rest.endswith("]"):
            inner = rest[:-1]
            if inner in ("@", "*"):
                every = inner
            else:
                piece = Piece(inner, self.span, False)
                index = WordNode(self.span.start, self.span.end, [Text(piece)])
        plain = is_digits(base) or base in ("@", "*", "#", "?") or base.isidentifier()
        if not plain or not base.isascii():
            raise ExpansionFault(f"{name}: invalid variable name")
        return replace(self.node, name=base, index=index, every=every, indirect=False)

    # Values

    def _atoms(self, value: Value) -> list[Atom]:
        mode = self.context.mode
        return [(piece, mode) for piece in value]

    def _value(self) -> Value | None:
        if self.node.index is None:
            return scalar(self.session, self.world, self.node.name, self.span)
        try:
            key = self._key(self.node.index)
        except Unknown as unknown:
            return unknown.value(self.span)
        return element(self.session, self.world, self.node.name, key, self.span)

    def _key(self, index: WordNode) -> int | str:
        """The key that a subscript means.

        Raises:
            Unknown: where a part of it cannot be known.

        """
        variable = self.world.variables.get(target(self.world, self.node.name))
        if variable is None or not variable.associative:
            return evaluate(self.session, self.world, index, self.span)
        atoms = self.session.expand(self.session, self.world, index.parts, WHOLE)
        return certain(value_of(atoms))

    def _demand(self) -> None:
        """Fails for an unset parameter under `set -u`."""
        if "nounset" in self.world.options:
            raise ExpansionFault(f"{self.node.name}: unbound variable", fatal=True)

    def _length(self, value: Value | None) -> Value:
        if value is None:
            if self.node.index is None:
                self._demand()
            return computed("0", self.span)
        text = known(value)
        if text is None:
            return (Piece(first_hole(value) or "", self.span, False),)
        return computed(str(len(text)), self.span)

    # Lists: $@, ${A[@]}

    def _list(self, values: list[Value], star: str) -> list[Atom]:
        return list_atoms(self.session, self.world, values, star, self.context)

    def _expand_all(self) -> list[Atom]:
        node = self.node
        star = node.every or node.name
        values = self._all_values(star)
        operator = node.operator
        if node.length:
            return self._atoms(self._count(values))
        if operator == ":":
            values = self._sliced(values)
        elif operator and operator[-1] in "-=?+":
            joined: Value | None = tuple(piece for value in values for piece in value)
            if not values:
                joined = None
            elif not joined and len(values) > 1:
                joined = computed(" ", self.span)
            if self._uses_operand(joined):
                return self._operand()
            if "+" in operator:
                quoted = values and self.context.quoted and not self.context.whole
                return [(Piece("", self.span), PROTECTED)] if quoted else []
        elif operator:
            values = [
                transform(self.session, self.world, node, value, self.span) for value in values
            ]
        return self._list(values, star)

    def _count(self, values: list[Value]) -> Value:
        """How many elements there are; a hole where there may be others."""
        if not self.node.every:
            return scalar(self.session, self.world, "#", self.span) or ()
        if any(isinstance(p.text, Hole) for v in values for p in v) and self._count_unknown():
            return values[0]
        variable = self.world.variables.get(target(self.world, self.node.name))
        if variable is not None and variable.uncounted:
            return hole("command", f"number of elements of {self.node.name}", self.span)
        return computed(str(len(values)), self.span)

    def _sliced(self, values: list[Value]) -> list[Value]:
        """`${A[@]:1}`; of an array that nobody knows any element may be among them."""
        if self.node.every and self._count_unknown():
            return values
        return slice_list(self.session, self.world, self.node, values, self.span)

    def _all_values(self, star: str) -> list[Value]:
        node, world = self.node, self.world
        if node.every:
            return elements(self.session, world, node.name, self.span)
        if (
            isinstance(world.positional, OpenArguments)
            and joins(star, self.context)
            and self.session.needs("arguments")
        ):
            return [hole("argument", "all arguments", self.span, "*")]
        return list(world.positional)

    def _count_unknown(self) -> bool:
        """True when nobody knows how many values there are."""
        variable = self.world.variables.get(target(self.world, self.node.name))
        return self._never_set() if variable is None else variable.spoiled

    def _never_set(self) -> bool:
        return self.node.name not in self.world.variables and not is_digits(self.node.name)

    # ${X:-d} and its like

    def _uses_operand(self, value: Value | None) -> bool | None:
        """Whether the operand counts; None when that cannot be known."""
        present: bool | None = value is not None
        if value is not None:
            holes = [piece.text for piece in value if isinstance(piece.text, Hole)]
            if holes and self._never_set() and holes[0].kind in ("unset", "unsupported"):
                # The script never sets it: read as if nobody else did, unless it needs somebody to.
                present = not self._says() and self.session.needs("variables")
            elif self.node.operator.startswith(":"):
                if any(isinstance(piece.text, str) and piece.text for piece in value):
                    present = True
                else:
                    present = None if holes else False
            elif holes and self._never_set():
                present = None
        if present is None:
            return None
        return present if "+" in self.node.operator else not present

    def _says(self) -> bool:
        """Whether there is an operand: not in `${X:-}`."""
        return self.node.argument is not None and bool(self.node.argument.parts)

    def _operand(self) -> list[Atom]:
        """The operand; as a default its pieces say whose default they are."""
        node, world, session = self.node, self.world, self.session
        found: list[Atom] = []
        if node.argument is not None:
            parts = node.argument.parts
            quoted = self.context.quoted
            if node.argument.tilde and not quoted:
                parts = session.tildes(session, world, parts)
            found = session.expand(session, world, parts, QUOTED if quoted else OPERAND)
        if "-" in node.operator or "=" in node.operator:
            by_script = node.name in world.variables and not world.variables[node.name].caller
            if not by_script and not (is_digits(node.name) and world.frames):
                found = [
                    (replace(piece, default_of=node.name), mode)
                    if mode != BREAK and piece.default_of is None
                    else (piece, mode)
                    for piece, mode in found
                ]
        return found

    def _alternative(self, value: Value | None) -> list[Atom]:
        node = self.node
        operator = node.operator[-1]
        says = operator == "+" or self._says()
        if operator != "?" and says and value and all(is_argument(piece) for piece in value):
            # An argument that nobody has named is left out, and its default counts if it says
            # anything.
            value = None
        use = self._uses_operand(value)
        if operator == "+" and use is None:
            return _hole_atoms(value, self.span, self.context)
        if not use:
            return [] if operator == "+" else self._atoms(value or ())
        if operator == "=":
            return self._assigned()
        return self._required() if operator == "?" else self._operand()

    def _assigned(self) -> list[Atom]:
        """`${X:=d}`, where the operand counts: it is assigned."""
        node = self.node
        value = value_of(self._operand())
        if not (node.name[0].isalpha() or node.name[0] == "_"):
            raise ExpansionFault(f"${node.name}: cannot assign in this way", fatal=True)
        if node.index is None:
            argument = node.argument
            span = argument.span if argument else self.span
            at = AssignedAt(Span(node.name_start, node.name_end), span)
            assign_scalar(self.session, self.world, node.name, value, at)
        else:
            with suppress(Unknown):
                key = self._key(node.index)
                assign_element(self.session, self.world, node.name, key, value)
        return self._atoms(value)

    def _required(self) -> list[Atom]:
        """`${X:?message}`, where X is not set: the script goes on only where the caller sets it."""
        name, world = self.node.name, self.world
        if name[0] in "0123456789@*#" or not (self.session.environment is None or world.sourced):
            raise ExpansionFault(f"{name}: parameter null or not set", fatal=True)
        reason = f"variable {name} has to be set by the caller"
        value = hole("unset", reason, self.span, name)
        world.set(name, ShellVariable(value, name_span=self.span, value_span=self.span))
        return self._atoms(value)
