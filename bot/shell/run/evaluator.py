"""Carries out a script in every world that is possible: the parts, and how they fit together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

from bot.base.messages import message
from bot.shell.limits import LimitReached
from bot.shell.parse.syntax import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    Case,
    Conditional,
    Coprocess,
    For,
    Function,
    Group,
    If,
    Loop,
    Pipeline,
    Redirected,
    Script,
    Simple,
    Subshell,
)
from bot.shell.run.compounds import (
    arithmetic,
    case,
    conditional,
    coprocess,
    group,
    redirected,
    run_if,
)
from bot.shell.run.functions import define
from bot.shell.run.loops import arithmetic_for, loop, run_for
from bot.shell.run.pipelines import and_or, pipeline
from bot.shell.run.runner import Runner
from bot.shell.run.simple import simple
from bot.shell.run.subshells import capture, subshell
from bot.shell.run.traps import run_exit_traps
from bot.shell.world.session import Session
from bot.shell.world.state import World

_HANDLERS: Final[Mapping[type, Callable[..., list[World]]]] = {
    Simple: simple,
    Pipeline: pipeline,
    AndOr: and_or,
    Group: group,
    Subshell: subshell,
    If: run_if,
    Loop: loop,
    For: run_for,
    ArithmeticFor: arithmetic_for,
    Case: case,
    Conditional: conditional,
    ArithmeticCommand: arithmetic,
    Function: define,
    Redirected: redirected,
    Coprocess: coprocess,
}
"""What runs each kind of node."""


def run_script(session: Session, lines: Iterable[Script], world: World) -> None:
    """Runs the lines of a script; bounds that are reached are reported."""
    runner = Runner(session, _HANDLERS)
    session.capture = partial(capture, runner)
    try:
        _run_lines(runner, lines, world)
    finally:
        # Else these know each other, and all that was read waits for the garbage collector.
        del session.capture


def _run_lines(runner: Runner, lines: Iterable[Script], world: World) -> None:
    session = runner.session
    worlds = [world]
    ended: list[World] = []
    rest = iter(lines)
    for line in rest:
        try:
            worlds = runner.run_list(line, worlds)
        except LimitReached as reached:
            session.depth = 0
            session.running.clear()
            if reached.bound in ("depth", "words", "arguments", "expansion"):
                session.limit(reached, message("a command is left out"))
                continue
            session.limit(reached, message("the script is evaluated up to here"))
            return
        left = worlds
        worlds = _going_on(worlds)
        if trapped := [one for one in left if one.flow is not None and one.exit_trap is not None]:
            ended = runner.bounded([*ended, *trapped], line.items[-1].command)
        if not worlds:
            early = next(rest, None) is not None or any(one.status for one in left)
            session.ended = early or not session.commands
            break
    session.before_end = len(session.commands)
    try:
        run_exit_traps(runner, [*ended, *worlds])
    except LimitReached as reached:
        session.limit(reached, message("the script is evaluated up to here"))


def _going_on(worlds: list[World]) -> list[World]:
    """The worlds in which the script goes on behind a line."""
    kept: list[World] = []
    for world in worlds:
        if world.flow is not None:
            if world.flow.kind in ("exit", "return"):
                continue
            world.flow = None
        kept.append(world)
    return kept
