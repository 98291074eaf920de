"""`$X` and `${X…}`: every form of parameter expansion."""

from __future__ import annotations

from dataclasses import replace

from bot.shell.fields import PROTECTED, SPLIT, Atom, value_of
from bot.shell.lists import add_list, computed, keys_of, names_of, slice_list
from bot.shell.numbers import Unknown, evaluate
from bot.shell.session import ExpansionFault, Session, hole
from bot.shell.source import Span
from bot.shell.state import OpenArguments, Value, Variable, World, first_hole, known
from bot.shell.syntax import Parameter, Text, WordNode
from bot.shell.transformations import transform
from bot.shell.values import AssignedAt, assign_scalar, element, elements, scalar, target
from bot.shell.verdicts import is_argument
from bot.shell.words import Hole, Piece


def expand_parameter(
    session: Session,
    world: World,
    node: Parameter,
    atoms: list[Atom],
    *,
    quoted: bool,
    whole: bool,
) -> None:
    """Adds what a parameter expansion gives to `atoms`.

    Raises:
        ExpansionFault: where bash would report an error.

    """
    span = Span(node.start, node.end)
    if node.bad:
        raise ExpansionFault("bad substitution")
    if node.names:
        add_list(
            session, world, names_of(session, world, node, span), node.names, atoms, quoted, whole
        )
        return
    if node.indirect:
        if node.every:
            values = keys_of(session, world, node, span)
            add_list(session, world, values, node.every, atoms, quoted, whole)
            return
        if not _redirected(session, world, node, atoms, span, quoted=quoted):
            return
        node = _meant(session, world, node, span)
    if node.every or node.name in "@*":
        _expand_all(session, world, node, span, atoms, quoted, whole)
        return
    value = _value(session, world, node, span)
    if node.length:
        value = _length(session, world, node, value, span)
    elif node.operator:
        if node.operator[-1] in "-=?+" and node.operator != "@":
            _alternative(session, world, node, value, span, atoms, quoted)
            return
        if value is None:
            # An unset parameter stays nothing, even where `*` would match the empty text.
            _demand(session, world, node)
            return
        value = transform(session, world, node, value, span, quoted=quoted)
    elif value is None:
        _demand(session, world, node)
        return
    mode = PROTECTED if quoted else SPLIT
    atoms.extend((piece, mode) for piece in value)


def _value(session: Session, world: World, node: Parameter, span: Span) -> Value | None:
    if node.index is None:
        return scalar(session, world, node.name, span)
    try:
        key = _key(session, world, node.name, node.index, span)
    except Unknown as unknown:
        return hole(unknown.hole.kind, unknown.hole.reason, span, unknown.hole.name)
    return element(session, world, node.name, key, span)


def _key(session: Session, world: World, name: str, index: WordNode, span: Span) -> int | str:
    """The key that a subscript means.

    Raises:
        Unknown: where a part of it cannot be known.

    """
    variable = world.variables.get(target(world, name))
    if variable is None or not variable.associative:
        return evaluate(session, world, index, span)
    atoms: list[Atom] = []
    session.expand(session, world, index.parts, atoms, quoted=False, whole=True)
    value = value_of(atoms)
    text = known(value)
    if text is None:
        reason = first_hole(value)
        assert reason is not None  # noqa: S101 - a value that is not known has a hole
        raise Unknown(reason)
    return text


def _demand(session: Session, world: World, node: Parameter) -> None:
    """Fails for an unset parameter under `set -u`."""
    if "nounset" in world.options:
        raise ExpansionFault(f"{node.name}: unbound variable", fatal=True)


# Lists: $@, ${A[@]}, ${!A[@]}, ${!prefix@}


def _all_values(session: Session, world: World, node: Parameter, span: Span) -> list[Value]:
    if node.every:
        return elements(session, world, node.name, span)
    return list(world.positional)


def _expand_all(
    session: Session,
    world: World,
    node: Parameter,
    span: Span,
    atoms: list[Atom],
    quoted: bool,
    whole: bool,
) -> None:
    star = node.every or node.name
    values = _all_values(session, world, node, span)
    if (
        session.needs_arguments
        and isinstance(world.positional, OpenArguments)
        and not node.every
        and (whole or (quoted and star == "*"))
    ):
        values = [hole("argument", "all arguments", span, "*")]
    if node.length:
        if any(isinstance(p.text, Hole) for v in values for p in v) and _open(world, node):
            value = values[0]
        else:
            value = (Piece(str(len(values)), span, False),)
        atoms.extend((piece, PROTECTED if quoted else SPLIT) for piece in value)
        return
    operator = node.operator
    if operator == ":":
        values = slice_list(session, world, node, values, span)
    elif operator and operator[-1] in "-=?+" and operator != "@":
        joined: Value | None = tuple(piece for value in values for piece in value)
        if not values:
            joined = None
        elif not joined and len(values) > 1:
            joined = (Piece(" ", span, False),)
        use = _uses_operand(session, world, node, joined)
        if use is True:
            _operand(session, world, node, atoms, quoted, span)
            return
        if "+" in operator:
            return
    elif operator:
        values = [transform(session, world, node, value, span, quoted=quoted) for value in values]
    add_list(session, world, values, star, atoms, quoted, whole)


def _open(world: World, node: Parameter) -> bool:
    """True when nobody knows how many values there are."""
    variable = world.variables.get(target(world, node.name))
    return _never(world, node) if variable is None else variable.spoiled


def _never(world: World, node: Parameter) -> bool:
    return node.name not in world.variables and not node.name.isdigit()


# ${!X}


def _redirected(
    session: Session,
    world: World,
    node: Parameter,
    atoms: list[Atom],
    span: Span,
    *,
    quoted: bool,
) -> bool:
    """False when the name that `${!X}` means is unknown, which is then added as a hole."""
    variable = world.variables.get(node.name)
    if variable is not None and variable.reference and not node.operator:
        atoms.extend((piece, PROTECTED) for piece in variable.value or ())
        return False
    value = _value(session, world, node, span)
    if value is None:
        raise ExpansionFault(f"{node.name}: invalid indirect expansion")
    if known(value) is None:
        reason = first_hole(value)
        mode = PROTECTED if quoted else SPLIT
        atoms.append((Piece(reason or "", span, False), mode))
        return False
    return True


def _meant(session: Session, world: World, node: Parameter, span: Span) -> Parameter:
    """The expansion of the parameter that `${!X}` names."""
    name = known(_value(session, world, node, span) or ()) or ""
    base, bracket, rest = name.partition("[")
    every = ""
    index: WordNode | None = None
    if bracket and rest.endswith("]"):
        inner = rest[:-1]
        if inner in ("@", "*"):
            every = inner
        else:
            piece = Piece(inner, span, False)
            index = WordNode(span.start, span.end, [Text(piece)])
    plain = base.isdigit() or base in ("@", "*", "#", "?") or base.isidentifier()
    if not plain or not base.isascii():
        raise ExpansionFault(f"{name}: invalid variable name")
    return replace(node, name=base, index=index, every=every, indirect=False)


# Length


def _length(
    session: Session, world: World, node: Parameter, value: Value | None, span: Span
) -> Value:
    if value is None:
        _demand(session, world, node)
        return computed("0", span)
    text = known(value)
    if text is None:
        reason = first_hole(value)
        return (Piece(reason or "", span, False),)
    return computed(str(len(text)), span)


# ${X:-d} and its like


def _uses_operand(
    session: Session, world: World, node: Parameter, value: Value | None
) -> bool | None:
    """Whether the operand counts; None when that cannot be known."""
    colon = node.operator.startswith(":")
    present: bool | None = value is not None
    if value is not None:
        holes = [piece.text for piece in value if isinstance(piece.text, Hole)]
        if holes and _never(world, node) and holes[0].kind in ("unset", "unsupported"):
            # The script never sets it: read as if nobody else did.
            present = False
        elif colon:
            if any(isinstance(piece.text, str) and piece.text for piece in value):
                present = True
            else:
                present = None if holes else False
        elif holes and _never(world, node):
            present = None
    if present is None:
        return None
    return present if "+" in node.operator else not present


def _operand(
    session: Session,
    world: World,
    node: Parameter,
    atoms: list[Atom],
    quoted: bool,
    span: Span,
) -> None:
    """Adds the operand; as a default its pieces say whose default they are."""
    found: list[Atom] = []
    if node.argument is not None:
        parts = node.argument.parts
        if node.argument.tilde and not quoted:
            parts = session.tildes(session, world, parts, assigned=False)
        session.expand(session, world, parts, found, quoted=quoted, operand=not quoted)
    if "-" in node.operator or "=" in node.operator:
        by_script = node.name in world.variables and not world.variables[node.name].caller
        if not by_script and not (node.name.isdigit() and world.frames):
            found = [
                (replace(piece, default_of=node.name), mode)
                if mode != 3 and piece.default_of is None
                else (piece, mode)
                for piece, mode in found
            ]
    atoms.extend(found)


def _alternative(
    session: Session,
    world: World,
    node: Parameter,
    value: Value | None,
    span: Span,
    atoms: list[Atom],
    quoted: bool,
) -> None:
    operator = node.operator[-1]
    says = operator == "+" or (node.argument is not None and bool(node.argument.parts))
    if operator != "?" and says and value and all(is_argument(piece) for piece in value):
        # An argument that nobody has named is left out, and its default counts if it says anything.
        value = None
    use = _uses_operand(session, world, node, value)
    mode = PROTECTED if quoted else SPLIT
    if operator == "+":
        if use is True:
            _operand(session, world, node, atoms, quoted, span)
        elif use is None:
            reason = first_hole(value or ())
            atoms.append((Piece(reason or "", span, False), mode))
        return
    if not use:
        atoms.extend((piece, mode) for piece in value or ())
        return
    if operator == "-":
        _operand(session, world, node, atoms, quoted, span)
    elif operator == "=":
        found: list[Atom] = []
        _operand(session, world, node, found, quoted, span)
        assigned = value_of(found)
        where = Span(node.name_start, node.name_end)
        argument = node.argument
        value_span = Span(argument.start, argument.end) if argument else span
        if not (node.name[0].isalpha() or node.name[0] == "_"):
            raise ExpansionFault(f"${node.name}: cannot assign in this way", fatal=True)
        if node.index is None:
            assign_scalar(session, world, node.name, assigned, AssignedAt(where, value_span))
        else:
            _assign_element(session, world, node, assigned, span)
        atoms.extend((piece, mode) for piece in assigned)
    elif (session.environment is None or world.sourced) and node.name[0] not in "0123456789@*#":
        # The script goes on only where the caller sets it.
        wanted = f"variable {node.name} has to be set by the caller"
        demanded = hole("unset", wanted, span, node.name)
        world.set(node.name, Variable(demanded, name_span=span, value_span=span))
        atoms.extend((piece, mode) for piece in demanded)
    else:
        raise ExpansionFault(f"{node.name}: parameter null or not set", fatal=True)


def _assign_element(
    session: Session, world: World, node: Parameter, value: Value, span: Span
) -> None:
    if node.index is None:
        return
    try:
        key = _key(session, world, node.name, node.index, span)
    except Unknown:
        return
    old = world.variables.get(node.name)
    items = dict(old.items or {}) if old else {}
    items[key] = value
    session.spend(0, len(items))
    world.set(node.name, Variable(items=items, associative=bool(old and old.associative)))
