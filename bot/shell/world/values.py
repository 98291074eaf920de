"""Reading and setting the variables of a world."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.base.digits import is_digits
from bot.base.fast_dataclass import dataclass
from bot.shell.limits import LimitReached
from bot.shell.pieces import Value, computed, marked, may_split, up_to_hole
from bot.shell.source import Span
from bot.shell.words import Hole
from bot.shell.world.session import ExpansionFault, ReadonlyFault, Session, hole
from bot.shell.world.state import (
    ALWAYS_SET,
    CALLERS,
    CHANGING,
    OpenArguments,
    ShellVariable,
    UncountedArguments,
    World,
)

_BEGINNING = {"OPTIND": "1", "PS4": "+ ", "IFS": " \t\n"}
_READONLY = frozenset({"BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID"})
"""What bash sets for good."""
_MAX_REFERENCES = 8


def target(world: World, name: str) -> str:
    """The name that a name reference means; any other name means itself."""
    for _ in range(_MAX_REFERENCES):
        variable = world.variables.get(name)
        if variable is None or not variable.reference or not variable.value:
            return name
        text = variable.value[0].text
        if not isinstance(text, str):
            return name
        name = text
    return name


def scalar(session: Session, world: World, name: str, span: Span) -> Value | None:
    """The value of `$name` used at `span`; None when it is unset."""
    variable = world.variables.get(name)
    if variable is not None:
        if variable.reference:
            name = target(world, name)
            variable = world.variables.get(name)
            if variable is None:
                return _never_set(session, world, name, span)
        if variable.items is not None:
            value = variable.items.get("0" if variable.associative else 0)
            return None if value is None else marked(value, name)
        if variable.value is None:
            return None
        if variable.caller:
            # What only the caller knows stands where it is used.
            return tuple(replace(p, span=p.span or span, via=(name,)) for p in variable.value)
        return variable.through(name)
    if name[0].isalpha() or name[0] == "_":
        return _never_set(session, world, name, span)
    return _special(session, world, name, span)


def _special(session: Session, world: World, name: str, span: Span) -> Value | None:
    if is_digits(name):
        return _argument(world, int(name) if len(name) < 9 else len(world.positional) + 1, span)
    if name == "#":
        if isinstance(world.positional, OpenArguments) and session.needs("arguments"):
            return hole("argument", "number of arguments", span, "#")
        if isinstance(world.positional, UncountedArguments):
            return hole("command", "number of arguments", span, number=True)
        return computed(str(len(world.positional)), span)
    if name == "?":
        if world.status is not None:
            return computed(str(world.status), span)
        return hole("command", "exit status of the last command", span, number=True)
    reason = {"$": "process number of the shell", "!": "process number of a background command"}
    return hole("command", reason.get(name, "options of the shell"), span, number=name in reason)


def _argument(world: World, number: int, span: Span) -> Value | None:
    """`$0`, `$1` and so on."""
    given = world.positional
    if number == 0:
        return tuple(replace(piece, span=span, literal=False) for piece in world.zero)
    if isinstance(given, UncountedArguments):
        return _of_any_number(dict(enumerate(given, 1)), number, "", span)
    if number <= len(given):
        return given[number - 1]
    if isinstance(given, OpenArguments):
        number += given.shifted
        return hole("argument", f"argument {number}", span, str(number))
    return None


def _never_set(session: Session, world: World, name: str, span: Span) -> Value | None:
    """The value of a variable that the script has not set."""
    if name in CHANGING:
        if name in ("FUNCNAME", "PIPESTATUS"):
            return hole("unsupported", f"value of {name}", span)
        return hole("command", f"value of {name}", span)
    if name == "BASH_SOURCE":
        return _source_file(session, world, 0, span)
    if name == "LINENO":
        line, _ = session.line_column(span.start)
        return computed(str(line), span)
    if name in _BEGINNING:
        return computed(_BEGINNING[name], span)
    if session.environment is None:
        if name in CALLERS:
            return hole("environment", name, span, name)
        if world.sourced:
            return _set_elsewhere(world, name, span)
        return hole("unset", f"variable {name} is not set in the script", span, name)
    if name in ALWAYS_SET:
        return hole("environment", name, span, name)
    return _set_elsewhere(world, name, span) if world.sourced else None


def _set_elsewhere(world: World, name: str, span: Span) -> Value:
    """What an unset variable may be once something was run that may have set any."""
    return hole("unsupported", f"set by {world.sourced}", span, name)


def _source_file(session: Session, world: World, key: int | str, span: Span) -> Value | None:
    """`${BASH_SOURCE[key]}`: the file in which the place lies, and those that run it."""
    if key in (0, "0"):
        file = session.places.file_at(span.start)
        if file is not None:
            return tuple(replace(piece, span=span) for piece in file.word)
        in_script = span.start <= len(session.places.text) or not world.sources
        path = world.zero if in_script else world.sources[-1]
        return tuple(replace(piece, span=span) for piece in path)
    if world.frames:
        return hole("unsupported", f"value of BASH_SOURCE[{key}]", span)
    callers = (*reversed(world.sources), world.zero)
    if isinstance(key, int) and key < len(callers):
        return tuple(replace(piece, span=span) for piece in callers[key])
    return None


def element(session: Session, world: World, name: str, key: int | str, span: Span) -> Value | None:
    """The value of `${name[key]}`; None when it is unset."""
    name = target(world, name)
    variable = world.variables.get(name)
    if variable is None and name == "BASH_SOURCE":
        return _source_file(session, world, key, span)
    if variable is None or variable.items is None:
        if key in (0, "0") or (variable is not None and variable.spoiled):
            return scalar(session, world, name, span)
        if variable is None and (session.environment is None or world.sourced):
            return _never_set(session, world, name, span)
        return None
    if variable.spoiled:  # Words were added behind elements that nobody knows.
        return marked(next(iter(variable.items.values())), name)
    if isinstance(key, int):
        if variable.uncounted:
            return _of_any_number(variable.items, key, name, span)
        if key < 0:
            key += following_index(variable.items)
    value = variable.items.get(key)
    return None if value is None else marked(value, name)


def _of_any_number(items: dict[int | str, Value], key: int, name: str, span: Span) -> Value | None:
    """An element where unknown ones may stand for any number: known before and behind them.

    Without a name it is an argument.
    """
    unknown = [at for at, value in items.items() if isinstance(at, int) and may_split(value)]
    end = following_index(items)
    value: Value | None
    if key in unknown[:1]:
        value = up_to_hole(items[key])
    elif key < min(unknown, default=end) if key >= 0 else key + end > max(unknown, default=end):
        value = items.get(key if key >= 0 else key + end)
    else:
        return hole("command", f"element {key} of {name}" if name else f"argument {key}", span)
    return marked(value, name) if name and value is not None else value


def following_index(items: Iterable[int | str]) -> int:
    """The index behind the last element of an array."""
    return max((key for key in items if isinstance(key, int)), default=-1) + 1


def elements(session: Session, world: World, name: str, span: Span) -> list[Value]:
    """The values of `${name[@]}` in order."""
    name = target(world, name)
    variable = world.variables.get(name)
    if variable is None or variable.items is None:
        value = scalar(session, world, name, span)
        return [] if value is None else [value]
    session.spend(0, len(variable.items))
    return [marked(variable.items[key], name) for key in ordered(variable)]


def ordered(variable: ShellVariable) -> list[int | str]:
    """The keys of an array: rising for an indexed one, as set for an associative one."""
    items = variable.items or {}
    if variable.associative:
        return list(items)
    return sorted(items, key=lambda key: key if isinstance(key, int) else 0)


def converted(variable: ShellVariable | None, value: Value, span: Span) -> Value:
    """A value as an assignment keeps it: unknown where `declare -i`, `-l` or `-u` changes it."""
    if variable is None or not variable.changes:
        return value
    if variable.changes == "i" and len(value) == 1 and _is_written_out(value[0].text):
        return value
    return hole("unsupported", f"value changed by declare -{variable.changes}", span)


def _is_written_out(text: str | Hole) -> bool:
    """Whether a text is a whole number as bash itself writes it."""
    digits = text.removeprefix("-") if isinstance(text, str) else ""
    return is_digits(digits) and (digits[0] != "0" or text == "0")


@dataclass(frozen=True, slots=True)
class AssignedAt:
    """Where an assignment stands."""

    name: Span
    value: Span


def demand_writable(world: World, name: str) -> None:
    """Refuses an assignment to a read-only variable.

    Raises:
        ReadonlyFault: it is one; under `set -e` an ExpansionFault, which ends the shell.

    """
    variable = world.variables.get(name)
    if name in _READONLY if variable is None else variable.readonly:
        if "errexit" in world.options:
            raise ExpansionFault(f"{name}: readonly variable")
        raise ReadonlyFault(f"{name}: readonly variable")


def assign_scalar(session: Session, world: World, name: str, value: Value, at: AssignedAt) -> None:
    """Carries out `name=value`.

    Raises:
        ExpansionFault: the variable is read-only.
        LimitReached: too many variables.

    """
    name = target(world, name)
    demand_writable(world, name)
    old = world.variables.get(name)
    if old is None:
        if len(world.variables) >= session.limits.variables:
            raise LimitReached("variables", session.limits, at.name)
        exported = (
            "allexport" in world.options
            or name in world.exporting
            or (session.environment is None and name in CALLERS)
        )
        variable = ShellVariable(value, exported=exported, name_span=at.name, value_span=at.value)
    elif old.items is not None:
        items = dict(old.items)
        value = converted(old, value, at.value)
        items["0" if old.associative else 0] = value
        session.spend(0, len(items))
        variable = replace(old, items=items)
    else:
        value = converted(old, value, at.value)
        exported = old.exported or "allexport" in world.options or name in world.exporting
        variable = replace(
            old,
            value=value,
            exported=exported,
            caller=False,
            name_span=at.name,
            value_span=at.value,
        )
    world.set(name, variable)
    session.assigned(name, value, at.name, at.value)


def assign_element(session: Session, world: World, name: str, key: int | str, value: Value) -> None:
    """Carries out `name[key]=value` as part of an expansion, where the elements are known.

    Raises:
        ExpansionFault: the variable is read-only, or there is no such element.

    """
    name = target(world, name)
    demand_writable(world, name)
    old = world.variables.get(name) or ShellVariable()
    if old.spoiled:
        return
    items = items_of(old)
    span = value[0].span if value else session.at
    items[index_in(items, key, name)] = converted(old, value, span)
    session.spend(0, len(items))
    world.set(name, replace(old, value=None, items=items, caller=False, name_span=span))


def items_of(variable: ShellVariable | None) -> dict[int | str, Value]:
    """The elements that an assignment to one of them finds: a scalar is the first."""
    if variable is None or variable.caller:
        return {}
    if variable.items is not None:
        return dict(variable.items)
    return {} if variable.value is None else {0: variable.value}


def index_in(items: Iterable[int | str], key: int | str, name: str) -> int | str:
    """A key, where a negative one counts from the end.

    Raises:
        ExpansionFault: it lies before the first element.

    """
    if isinstance(key, int) and key < 0:
        key += following_index(items)
        if key < 0:
            raise ExpansionFault(f"{name}: bad array subscript")
    return key
