"""Commands in a shell of their own: their status, and what they write."""

from __future__ import annotations

from dataclasses import dataclass

from bot.shell.runner import Runner
from bot.shell.session import Session, hole, shorten
from bot.shell.source import Span
from bot.shell.state import Value, World
from bot.shell.syntax import CommandNode, Script, Subshell
from bot.shell.words import Hole, Piece


@dataclass(frozen=True, slots=True)
class SubshellResult:
    """What a shell of its own leaves."""

    status: int | None
    """None when nobody can know it."""
    likely: bool
    """With an unknown status: whether success is the ordinary outcome."""
    output: Value | None
    """None where it was not kept."""


def gathered(session: Session, worlds: list[World], span: Span) -> SubshellResult:
    """The result of a shell of its own at `span`, from the worlds in which it ended."""
    if not worlds:
        return SubshellResult(None, True, ())
    first = worlds[0]
    status, likely = first.status, first.likely
    for other in worlds[1:]:
        if other.status != status:
            status, likely = None, likely or other.likely
    if first.output is None:
        return SubshellResult(status, likely, None)
    output: Value = tuple(first.output)
    if any(other.output != first.output for other in worlds[1:]):
        output = hole("command", f"output of {shorten(session.text(span.start, span.end))}", span)
    return SubshellResult(status, likely, output)


class Subshells:
    """Runs commands in shells of their own."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._session = runner.session

    def run(self, command: CommandNode | Script, world: World) -> SubshellResult:
        """Runs a command in a shell of its own, which `world` becomes."""
        self._session.enter(command.start, command.end)
        if isinstance(command, Script):
            worlds = self._runner.run_list(command, [world])
        else:
            worlds = self._runner.run(command, world)
        self._session.leave()
        return gathered(self._session, worlds, command.span)

    def node(self, node: Subshell, world: World) -> list[World]:
        """Runs `( … )`."""
        inner = world.copy()
        if inner.output is not None:
            inner.output = []
        result = self.run(node.body, inner)
        if world.output is not None and result.output:
            world.output.extend(result.output)
        world.settle(result.status, result.likely)
        self._runner.check(world)
        return [world]

    def capture(self, world: World, body: Script) -> Value:
        """The output of a command substitution."""
        session = self._session
        inner = world.copy()
        inner.output = []
        inner.pipe = ()
        session.inner += 1
        try:
            result = self.run(body, inner)
        finally:
            session.inner -= 1
        world.settle(result.status, result.likely)
        session.substituted = True
        output = result.output or ()
        if len(output) == 1:
            text = output[0].text
            if isinstance(text, Hole) and text.kind == "command":
                reason = f"output of {shorten(session.text(body.start, body.end))}"
                return (Piece(Hole("command", reason), body.span, False),)
        return output
