"""Several worlds as one, in which what they do not share is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.base.digits import is_digits
from bot.base.regex import regex
from bot.shell.pieces import known
from bot.shell.words import HoleKind
from bot.shell.world.session import hole
from bot.shell.world.state import ShellVariable, World, is_argument, join

_COUNTS = regex(
    r"\b([A-Za-z_]\w{0,99})(?:\+=|\+\+|--)|(?:\+\+|--)([A-Za-z_]\w{0,99})\b"
    r"|\blet\s{1,9}([A-Za-z_]\w{0,99})"
    r"|\b([A-Za-z_]\w{0,99})=\$\((?:\(|expr\s)[^)\n]{0,80}\b\4\b"
)
"""What a body counts: `N=$((N + 1))`, `((N++))`, `HOSTS+=(…)`."""


def widened(worlds: Iterable[World], when: str) -> list[World]:
    """The worlds, with one in the place of all that differ in what a hole can stand for.

    That is the values of variables, what was written into files, and the output. `when` ends the
    reason of a hole: "when the loop is left".
    """
    kept: list[World] = []
    for world in worlds:
        found = next((other for other in kept if other.alike(world)), None)
        if found is None:
            kept.append(world)
        else:
            _absorb(found, world, when)
    return kept


def comes_back(world: World, start: World) -> bool:
    """Whether a round of a loop has changed nothing but what stands in files."""
    return world.alike(start) and world.variables == start.variables


def mixed(before: World, worlds: list[World], *, every: bool) -> list[World]:
    """The worlds behind a loop that may go round any number of times, each time another way.

    They come out of no round, or of one. What any of them set is unknown, each for itself: `--a x
    --b y` sets both. Without `every`, rounds that nobody has to take are left out, so that what
    they replace keeps its value.
    """
    ways = before.ways
    taken = [one for one in worlds if every or not _replaces(before, one)]
    behind = widened(taken or worlds, "behind the loop")
    for world in behind:
        world.ways = ways  # What one round was asked tells nothing of the others.
    return behind


def _replaces(before: World, world: World) -> bool:
    """Whether a round sets what has a value, and gives nothing empty one that nobody knows."""
    changed = [
        (old, new)
        for name, new in world.variables.items()
        if (old := before.variables.get(name)) is not None and old is not new and old != new
    ]
    filled = any(_empty(old) and known(new.value or ()) is None for old, new in changed)
    return bool(changed) and not filled


def _empty(variable: ShellVariable) -> bool:
    return variable.items is None and known(variable.value or ()) == ""


def _absorb(world: World, other: World, when: str) -> None:
    join(world, other)
    if world.written != other.written:
        world.written = {}
    for name in {**world.variables, **other.variables}:
        mine, others = world.variables.get(name), other.variables.get(name)
        if mine is not others and mine != others:
            variable = mine or others or ShellVariable()
            given = _given(mine) and _given(others)
            unknown = _unknown(name, variable, when, given=given)
            if others is not None and others.changes:
                unknown = replace(unknown, changes=others.changes)
            world.set(name, unknown)


def _given(variable: ShellVariable | None) -> bool:
    """Whether a variable is empty or what the caller gives, which may be empty too."""
    if variable is None or variable.items is not None:
        return False
    return all(not piece.text or is_argument(piece) for piece in variable.value or ())


def _unknown(name: str, variable: ShellVariable, when: str, *, given: bool) -> ShellVariable:
    """A variable that is set on some ways at least, to what nobody knows."""
    kind: HoleKind = "argument" if given else "command"
    reason = f"value of {name} {when}"
    value = hole(kind, reason, variable.name_span, name if given else None)
    array = variable.items is not None or variable.spoiled
    return replace(variable, value=value, items=None, spoiled=array)


def counters(text: str) -> frozenset[str]:
    """The variables that a loop's body counts up, or arrays that it adds to."""
    found = (one for match in _COUNTS.finditer(text) for one in match.groups() if one)
    return frozenset(found)


def uncount(before: World, world: World, counters: Iterable[str]) -> None:
    """Makes unknown what any number of rounds counted, here one."""
    for name in counters:
        old, new = before.variables.get(name), world.variables.get(name)
        if new is None or new is old:
            continue
        number = known(new.value or ())
        if new.items is not None:
            world.set(name, replace(new, uncounted=True))
        elif number is not None and is_digits(number):
            value = hole("command", f"value of {name} behind the loop", new.value_span)
            world.set(name, replace(new, value=value))
