"""`export`, `declare`, `local`, `readonly` and `unset`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.shell.expand.assignments import carry_out
from bot.shell.parse.syntax import Assignment
from bot.shell.pieces import cut, extent, known
from bot.shell.source import Span
from bot.shell.words import Word
from bot.shell.world.session import ReadonlyFault, Session, hole, shorten
from bot.shell.world.state import ShellVariable, World
from bot.shell.world.values import AssignedAt, assign_scalar, demand_writable, target

_ASSIGNED = regex(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|\Z)")


@dataclass(slots=True)
class _Declaration:
    """A declaration builtin with its options."""

    builtin: str
    minus: set[str] = field(default_factory=set)
    """Attributes to set."""
    plus: set[str] = field(default_factory=set)
    """Attributes to take away."""
    names: list[Word | Assignment] = field(default_factory=list)

    @property
    def exports(self) -> bool:
        """Whether it is `export`, and not `export -n`."""
        return self.builtin == "export" and "n" not in self.minus

    @property
    def references(self) -> bool:
        """Whether its variables mean others."""
        return self.builtin != "export" and "n" in self.minus

    def local(self, world: World) -> bool:
        """Whether its variables are the function's own."""
        if not world.frames or "g" in self.minus:
            return False
        return self.builtin in ("local", "declare", "typeset")


def _declaration(builtin: str, arguments: Sequence[Word | Assignment]) -> _Declaration:
    found = _Declaration(builtin)
    for argument in arguments:
        text = known(argument.pieces) if isinstance(argument, Word) else None
        if text is not None and text[:1] in ("-", "+") and not found.names and len(text) > 1:
            (found.minus if text[0] == "-" else found.plus).update(text[1:])
        else:
            found.names.append(argument)
    return found


def declare(
    session: Session, world: World, builtin: str, arguments: Sequence[Word | Assignment]
) -> None:
    """Carries out a declaration builtin."""
    world.settle(0)
    declaration = _declaration(builtin, arguments)
    if builtin == "local" and not world.frames:
        world.settle(1)
        return
    if declaration.minus & {"f", "F", "p"}:
        if declaration.names and builtin != "export":
            world.settle(None)
        if world.output is not None and builtin != "export":
            world.output.extend(hole("command", f"output of {builtin}", session.at))
        return
    done = [_declare(session, world, declaration, one) for one in declaration.names]
    # The status is the builtin's own, not that of a substitution in a value.
    world.settle(0 if all(done) else 1)


def _declare(
    session: Session, world: World, declaration: _Declaration, argument: Word | Assignment
) -> bool:
    """Carries out one argument; False where bash refuses it."""
    name = argument.name if isinstance(argument, Assignment) else _about(argument)[0]
    if not name:
        if not isinstance(argument, Word) or argument.complete:
            return False
        text = shorten(session.text(argument.span))
        world.sourced = world.sourced or f"{declaration.builtin} {text}"
        return True
    if declaration.local(world):
        if _is_fixed(world, name):
            return False
        _hide(world, name)
    if not declaration.references:
        name = target(world, name)
    if not _prepare(world, name, declaration):
        return False
    if declaration.exports:
        # An unset variable is exported as soon as it is set.
        world.exporting = world.exporting | {name}
    done = True
    try:
        if isinstance(argument, Assignment):
            carry_out(session, world, argument)
        else:
            _assign_text(session, world, argument)
    except ReadonlyFault:
        done = False
    _finish(world, name, declaration)
    return done


def _about(word: Word) -> tuple[str, str]:
    """The variable that an argument such as `X` or `"X=$Y"` is about, and its operator."""
    text = "".join(piece.text if isinstance(piece.text, str) else "\0" for piece in word.pieces)
    found = _ASSIGNED.match(text)
    return (found[1], found[2]) if found else ("", "")


def _assign_text(session: Session, world: World, word: Word) -> None:
    """`export "X=value"`: an assignment that reached the builtin as a plain word."""
    name, operator = _about(word)
    if not operator:
        return
    value = cut(word.pieces, len(name + operator))
    if operator == "+=":
        old = world.variables.get(name)
        value = (*(old.value or () if old and not old.caller else ()), *value)
    name_span = Span(word.span.start, word.span.start + len(name))
    value_span = extent(value, word.span) if value else Span(word.span.end, word.span.end)
    assign_scalar(session, world, name, value, AssignedAt(name_span, value_span))


def _is_fixed(world: World, name: str) -> bool:
    """Whether a function cannot have a variable of this name: a read-only one is global."""
    old = world.variables.get(name)
    return old is not None and old.readonly and not any(name in frame for frame in world.frames)


def _hide(world: World, name: str) -> None:
    frame = world.frames[-1]
    if name not in frame:
        old = frame[name] = world.variables.get(name)
        world.set(name, ShellVariable(exported=old is not None and old.exported))


def _prepare(world: World, name: str, declaration: _Declaration) -> bool:
    """Gives a variable its attributes before its value is set; False where it keeps its kind."""
    minus = declaration.minus
    old = world.variables.get(name)
    if old is None:
        if not (minus & set("aAilnru")) and declaration.builtin not in ("local", "readonly"):
            return True
        old = ShellVariable()
    changes: dict[str, object] = {}
    if changing := minus & set("ilu"):
        changes["changes"] = min(changing)
    if declaration.references:
        changes["reference"] = True
    if minus & {"a", "A"} and old.items is not None and old.associative != ("A" in minus):
        return False
    if "A" in minus and old.items is None:
        changes["associative"] = True
        changes["items"] = {} if old.value is None else {"0": old.value}
        changes["value"] = None
    elif "a" in minus and old.items is None:
        changes["items"] = {} if old.value is None else {0: old.value}
        changes["value"] = None
    if changes or name not in world.variables:
        world.set(name, replace(old, **changes))  # type: ignore[arg-type]
    return True


def _finish(world: World, name: str, declaration: _Declaration) -> None:
    """Gives a variable the attributes that take effect behind its value."""
    builtin, minus = declaration.builtin, declaration.minus
    export = declaration.exports or (builtin != "export" and "x" in minus)
    unexport = "n" in minus if builtin == "export" else "x" in declaration.plus
    readonly = builtin == "readonly" or "r" in minus
    variable = world.variables.get(name)
    if unexport or (variable is not None and variable.value is not None):
        world.exporting = world.exporting - {name}
    if variable is None:
        return
    if export or unexport or readonly:
        world.set(
            name,
            replace(
                variable,
                exported=(variable.exported or export) and not unexport,
                readonly=variable.readonly or readonly,
            ),
        )
        world.exported = None


def unset(world: World, words: Sequence[Word]) -> None:
    """Carries out `unset`."""
    world.settle(0)
    functions = reference = False
    for word in words:
        text = known(word.pieces)
        if text is None:
            continue
        if text in ("-v", "-f", "-n"):
            functions, reference = text == "-f", text == "-n"
            continue
        if functions:
            world.functions.pop(text, None)
            continue
        name, bracket, _ = text.partition("[")
        variable = world.variables.get(name)
        if reference:
            if variable is not None and variable.reference:
                world.remove(name)
        elif bracket:
            _unset_element(world, target(world, name), word.span)
        elif variable is None and name in world.functions:
            world.functions.pop(name)
        elif variable is None or not variable.readonly:
            world.remove(target(world, name))
        else:
            world.settle(1)


def _unset_element(world: World, name: str, span: Span) -> None:
    """`unset A[i]`: which elements are left is not followed."""
    variable = world.variables.get(name)
    if variable is not None and (variable.items is not None or variable.spoiled):
        demand_writable(world, name)
        value = hole("unsupported", f"array {name} has lost an element", span)
        world.set(name, replace(variable, value=value, items=None, spoiled=True))
