"""Functions: defining and calling them."""

from __future__ import annotations

from bot.shell.parse.syntax import Function
from bot.shell.pieces import Value
from bot.shell.runner import Runner
from bot.shell.state import World


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
        if one.flow is not None and one.flow.kind == "return":
            one.flow = None
    session.leave()
    return worlds
