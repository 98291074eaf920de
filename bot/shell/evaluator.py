"""Carries out a script in every world that is possible: the parts, and how they fit together."""

from __future__ import annotations

from collections.abc import Iterable

from bot.base.messages import message
from bot.shell.builtins import Builtins
from bot.shell.child_shells import ChildShells
from bot.shell.compounds import Compounds
from bot.shell.external import ExternalCommands
from bot.shell.functions import define
from bot.shell.limits import LimitReached
from bot.shell.loops import Loops
from bot.shell.pipelines import Pipelines
from bot.shell.runner import Runner
from bot.shell.session import Session
from bot.shell.simple import SimpleCommands
from bot.shell.sources import Sources
from bot.shell.state import World
from bot.shell.subshells import Subshells
from bot.shell.syntax import (
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


def _runner(session: Session) -> Runner:
    """A runner with what runs each kind of node."""
    runner = Runner(session)
    subshells = Subshells(runner)
    session.capture = subshells.capture
    external = ExternalCommands(session, ChildShells(runner))
    builtins = Builtins(session, Sources(runner), external)
    pipelines = Pipelines(runner, subshells)
    loops = Loops(runner)
    compounds = Compounds(runner)
    runner.handlers = {
        Simple: SimpleCommands(runner, builtins, external).run,
        Pipeline: pipelines.pipeline,
        AndOr: pipelines.and_or,
        Group: compounds.group,
        Subshell: subshells.node,
        If: compounds.if_,
        Loop: loops.loop,
        For: loops.for_,
        ArithmeticFor: loops.arithmetic_for,
        Case: compounds.case,
        Conditional: compounds.conditional,
        ArithmeticCommand: compounds.arithmetic,
        Function: define,
        Redirected: compounds.redirected,
        Coprocess: compounds.coprocess,
    }
    return runner


def run_script(session: Session, lines: Iterable[Script], world: World) -> None:
    """Runs the lines of a script; bounds that are reached are reported."""
    runner = _runner(session)
    try:
        _run_lines(runner, lines, world)
    finally:
        # Else these know each other, and all that was read waits for the garbage collector.
        runner.handlers.clear()
        del session.capture


def _run_lines(runner: Runner, lines: Iterable[Script], world: World) -> None:
    session = runner.session
    worlds = [world]
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
        if not worlds:
            early = next(rest, None) is not None or any(one.status for one in left)
            session.ended = early or not session.commands
            return


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
