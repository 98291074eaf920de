"""Several worlds as one, in which what they do not share is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.shell.session import hole
from bot.shell.state import ShellVariable, World, join


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


def _absorb(world: World, other: World, when: str) -> None:
    join(world, other)
    if world.written != other.written:
        world.written = {}
    for name in {**world.variables, **other.variables}:
        mine, others = world.variables.get(name), other.variables.get(name)
        if mine is not others and mine != others:
            unknown = _unknown(name, mine or others or ShellVariable(), when)
            if others is not None and others.changes:
                unknown = replace(unknown, changes=others.changes)
            world.set(name, unknown)


def _unknown(name: str, variable: ShellVariable, when: str) -> ShellVariable:
    """A variable that is set on some ways at least, to what nobody knows."""
    value = hole("command", f"value of {name} {when}", variable.name_span)
    array = variable.items is not None or variable.spoiled
    return replace(variable, value=value, items=None, spoiled=array)
