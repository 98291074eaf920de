"""Commands in a shell of their own: their status, and what they write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from bot.base.fast_dataclass import dataclass
from bot.shell.parse.syntax import CommandNode, Script, Subshell
from bot.shell.pieces import Value, known
from bot.shell.run.runner import Runner
from bot.shell.run.traps import run_exit_traps
from bot.shell.source import Span
from bot.shell.words import Hole, Piece
from bot.shell.world.session import Session, hole, shorten
from bot.shell.world.state import World, join
from bot.shell.world.ways import Ways


@dataclass(frozen=True, slots=True)
class SubshellResult:
    """What a shell of its own leaves."""

    status: int | None
    """None when nobody can know it."""
    likely: bool
    """With an unknown status: whether success is the ordinary outcome."""
    output: Value | None
    """None where it was not kept."""
    written: Mapping[object, Value] = field(default_factory=dict)
    """The files that it has written, and those from before."""
    ways: Ways | None = None
    """What is assumed where it is one of several outcomes; None where nothing is."""

    def assume(self, world: World) -> None:
        """Notes in `world` what is assumed, and what was written."""
        if self.ways is not None:
            world.ways = self.ways
        world.written = self.written

    def settle(self, world: World) -> None:
        """Makes the status that of `world`, which assumes what the result does."""
        self.assume(world)
        world.settle(self.status, self.likely)


def gathered(session: Session, worlds: list[World], span: Span) -> SubshellResult:
    """The result of a shell of its own at `span`, from the worlds in which it ended."""
    if not worlds:
        return SubshellResult(None, True, ())
    outcomes: list[World] = []
    for world in worlds:
        same = next((one for one in outcomes if one.output == world.output), None)
        if same is None:
            outcomes.append(world)
        else:
            join(same, world)
    first = outcomes[0]
    if len(outcomes) == 1:
        return _outcome(first)
    if session.choices is not None and sum(_known_output(one) for one in outcomes) > 1:
        chosen = outcomes[session.choices.choose(len(outcomes))]
        return replace(_outcome(chosen), ways=chosen.ways)
    output = hole("command", f"output of {shorten(session.text(span))}", span)
    status = first.status if all(one.status == first.status for one in outcomes) else None
    written = first.written if all(one.written == first.written for one in outcomes) else {}
    return SubshellResult(status, any(one.likely for one in outcomes), output, written)


def _outcome(world: World) -> SubshellResult:
    output = None if world.output is None else tuple(world.output)
    return SubshellResult(world.status, world.likely, output, world.written)


def _known_output(world: World) -> bool:
    return known(tuple(world.output or ())) is not None


def in_subshell(runner: Runner, command: CommandNode | Script, world: World) -> SubshellResult:
    """Runs a command in a shell of its own, which `world` becomes."""
    runner.session.enter(command.start, command.end)
    world.exit_trap = None
    if isinstance(command, Script):
        worlds = runner.run_list(command, [world])
    else:
        worlds = runner.run(command, world)
    worlds = run_exit_traps(runner, worlds)
    runner.session.leave()
    return gathered(runner.session, worlds, command.span)


def subshell(runner: Runner, node: Subshell, world: World) -> list[World]:
    """Runs `( … )`."""
    inner = world.copy()
    if inner.output is not None:
        inner.output = []
    result = in_subshell(runner, node.body, inner)
    if world.output is not None and result.output:
        world.output.extend(result.output)
    result.settle(world)
    runner.check(world)
    return [world]


def capture(runner: Runner, world: World, body: Script) -> Value:
    """The output of a command substitution."""
    session = runner.session
    inner = world.copy()
    inner.output = []
    inner.piped_to = None
    session.inner += 1
    try:
        result = in_subshell(runner, body, inner)
    finally:
        session.inner -= 1
    result.settle(world)
    session.substituted = True
    output = result.output or ()
    if len(output) == 1:
        text = output[0].text
        if isinstance(text, Hole) and text.kind == "command":
            reason = f"output of {shorten(session.text(body))}"
            return (Piece(Hole("command", reason), body.span, False),)
    return output
