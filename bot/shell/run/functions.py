"""Functions: defining and calling them."""

from __future__ import annotations

from collections.abc import Iterable

from bot.shell.parse.syntax import Function
from bot.shell.pieces import Value
from bot.shell.run.runner import Runner
from bot.shell.source import Span
from bot.shell.world.session import hole
from bot.shell.world.state import ShellVariable, UncountedArguments, World


def define(_runner: Runner, node: Function, world: World) -> list[World]:
    """Defines a function."""
    world.functions[node.name] = node.body
    world.settle(0)
    return [world]


def call(runner: Runner, name: str, arguments: tuple[Value, ...], world: World) -> list[World]:
    """Calls a function."""
    body = world.functions[name]
    session = runner.session
    session.enter(session.at.start, session.at.end)
    outer = world.positional
    world.positional = arguments
    world.frames = (*world.frames, {})
    with session.looping(0):
        worlds = runner.run(body, world)
    for one in worlds:
        frame = one.frames[-1]
        one.frames = one.frames[:-1]
        one.restore(frame)
        one.positional = outer
        if one.exit_trap is not None and one.flow is not None and one.flow.kind == "exit":
            _keep_unknown(one, frame)
        if one.flow is not None and one.flow.kind == "return":
            one.flow = None
    session.leave()
    return worlds


def _keep_unknown(world: World, names: Iterable[str]) -> None:
    """Makes unknown what a trap sees of a function: it depends on what has ended the shell."""
    for name in names:
        span = (world.variables.get(name) or ShellVariable()).name_span
        value = hole("command", f"value of {name} when the script ends", span)
        world.set(name, ShellVariable(value, name_span=span, value_span=span))
    world.positional = UncountedArguments((hole("command", "an argument", Span(0, 0)),))
