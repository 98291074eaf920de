"""Carries out a script in every world that is possible."""

from __future__ import annotations

from collections.abc import Iterable

from bot.shell.compounds import Compounds
from bot.shell.limits import LimitReached
from bot.shell.session import ExpansionFault, Session, hole, shorten
from bot.shell.source import Span
from bot.shell.state import Flow, Value, World, merge
from bot.shell.syntax import AndOr, Command, Function, Item, Pipeline, Script, Simple
from bot.shell.words import Hole, Piece

_ESCAPES = frozenset({"exit", "return", "break", "continue", "die", "usage", "false"})


class Evaluator(Compounds):
    """Runs lists, pipelines and `&&` and `||`."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        session.capture = self.capture

    def script(self, lines: Iterable[Script], world: World) -> None:
        """Runs the lines of a script; bounds that are reached are reported."""
        worlds = [world]
        rest = iter(lines)
        for line in rest:
            try:
                worlds = self.run_list(line, worlds)
            except LimitReached as reached:
                self.session.depth = 0
                self.session.running.clear()
                if reached.bound in ("depth", "words", "expansion"):
                    self.session.limit(reached, "a command is left out")
                    continue
                self.session.limit(reached, "the script is evaluated up to here")
                return
            left = worlds
            worlds = self._settled(worlds)
            if not worlds:
                early = next(rest, None) is not None or any(one.status for one in left)
                self.session.ended = early or not self.session.commands
                return

    def _settled(self, worlds: list[World]) -> list[World]:
        """The worlds in which the script goes on behind a line."""
        kept: list[World] = []
        for world in worlds:
            if world.flow is not None:
                if world.flow.kind in ("exit", "return"):
                    continue
                world.flow = None
            kept.append(world)
        return kept

    def run_list(self, script: Script, worlds: list[World]) -> list[World]:
        """Runs a list of commands in several worlds."""
        for item in script.items:
            following: list[World] = []
            for world in worlds:
                if world.flow is not None:
                    following.append(world)
                elif item.background:
                    self._background(item, world)
                    following.append(world)
                else:
                    following.extend(self.run(item.command, world))
            worlds = self.bounded(following, item.command)
        return worlds

    def bounded(self, worlds: list[World], node: Command) -> list[World]:
        """Worlds without doubles, and not more of them than the bound allows."""
        if len(worlds) < 2:
            return worlds
        worlds = merge(worlds)
        if len(worlds) > self.session.limits.worlds:
            reached = LimitReached("worlds", self.session.limits.worlds, node.start, node.end)
            self.session.limit(reached, "some ways through the script are left out")
            # What still runs matters more than what has ended.
            worlds.sort(key=lambda world: world.flow is not None)
            del worlds[self.session.limits.worlds :]
        return worlds

    def _background(self, item: Item, world: World) -> None:
        inner = world.copy()
        inner.output = None
        inner.stdin = None
        self.run(item.command, inner)
        world.settle(0)

    # Pipelines

    def pipeline(self, node: Pipeline, world: World) -> list[World]:
        """Runs a pipeline; each command runs in a shell of its own."""
        if len(node.commands) == 1:
            with self.guarding():
                worlds = self.run(node.commands[0], world)
            return [self._negate(result) for result in worlds]
        names = [self._stage_name(command) for command in node.commands]
        value = world.stdin
        statuses: list[tuple[int | None, bool]] = []
        last = len(node.commands) - 1
        for index, command in enumerate(node.commands):
            inner = world.copy()
            inner.pipe = (*names[index + 1 :], *world.pipe)
            inner.stdin = value
            inner.output = [] if index < last or world.output is not None else None
            outcome, value = self.subshell(command, inner)
            statuses.append(outcome)
        if world.output is not None and value is not None:
            world.output.extend(value)
        status, likely = statuses[-1]
        if "pipefail" in world.options:
            failed = [s for s in statuses if s[0] != 0]
            if failed:
                status, likely = next((s for s in reversed(failed) if s[0]), failed[-1])
                if any(s[0] is None for s in failed):
                    status, likely = None, all(s[1] for s in failed if s[0] is None)
        world.settle(status, likely)
        if node.negated:
            self._negate(world)
        else:
            self.check(world)
        return [world]

    def _negate(self, world: World) -> World:
        if world.flow is None:
            if world.status is not None:
                world.settle(int(world.status == 0))
            else:
                question = world.question
                world.settle(None, False, "!" + question if question else "")
        return world

    def _stage_name(self, command: Command) -> str:
        if isinstance(command, Simple) and command.words:
            word = command.words[0]
            return self.session.text(word.start, word.end)
        text = self.session.text(command.start, command.end)
        return text.split(None, 1)[0] if text.strip() else ""

    def subshell(
        self, command: Command | Script, world: World
    ) -> tuple[tuple[int | None, bool], Value | None]:
        """Runs a command in a shell of its own, which `world` becomes: status and output."""
        self.session.enter(command.start, command.end)
        if isinstance(command, Script):
            worlds = self.run_list(command, [world])
        else:
            worlds = self.run(command, world)
        self.session.leave()
        return self.gathered(worlds, Span(command.start, command.end))

    def gathered(
        self, worlds: list[World], span: Span
    ) -> tuple[tuple[int | None, bool], Value | None]:
        """The status and the output of a shell of its own, from the worlds in which it ended."""
        if not worlds:
            return (None, True), ()
        first = worlds[0]
        status, likely = first.status, first.likely
        for other in worlds[1:]:
            if other.status != status:
                status, likely = None, likely or other.likely
        if first.output is None:
            return (status, likely), None
        output: Value = tuple(first.output)
        if any(other.output != first.output for other in worlds[1:]):
            text = shorten(self.session.text(span.start, span.end))
            output = hole("command", f"output of {text}", span)
        return (status, likely), output

    def capture(self, world: World, body: Script) -> Value:
        """The output of a command substitution."""
        inner = world.copy()
        inner.output = []
        inner.pipe = ()
        self.session.inner += 1
        try:
            (status, likely), output = self.subshell(body, inner)
        finally:
            self.session.inner -= 1
        world.settle(status, likely)
        self.session.substituted = True
        if output and len(output) == 1 and isinstance(output[0].text, Hole):
            found = output[0]
            if isinstance(found.text, Hole) and found.text.kind == "command":
                text = shorten(self.session.text(body.start, body.end))
                reason = Hole("command", f"output of {text}")
                output = (Piece(reason, Span(body.start, body.end), False),)
        return output or ()

    # && and ||

    def and_or(self, node: AndOr, world: World) -> list[World]:
        """Runs commands joined by `&&` and `||`."""
        with self.guarding():
            worlds = self.run(node.first, world)
        before: Command = node.first
        for index, (operator, command) in enumerate(node.rest):
            final = index == len(node.rest) - 1
            following: list[World] = []
            for one in worlds:
                for other, success in self._branches(one, operator, before, command):
                    if other.flow is not None or success != (operator == "&&"):
                        following.append(other)
                    elif final:
                        following.extend(self.run(command, other))
                    else:
                        with self.guarding():
                            following.extend(self.run(command, other))
            worlds = self.bounded(following, node)
            before = command
        return worlds

    def _branches(
        self, world: World, operator: str, left: Command, right: Command
    ) -> list[tuple[World, bool]]:
        """The worlds behind the left side, with whether it succeeded."""
        if world.flow is not None:
            return [(world, True)]
        if world.status is not None:
            return [(world, world.status == 0)]
        if operator == "||" and self._escapes(right):
            # `cmd || exit 1`: what follows happens only if it succeeds.
            world.settle(0)
            return [(world, True)]
        if operator == "&&" and world.likely:
            return [(world, True)]
        return self.decide(world, left)

    def _escapes(self, command: Command) -> bool:
        """True when a command leaves the script, function or loop."""
        text = self.session.text(command.start, command.end)
        for separator in (";", "\n", "{", "}", "(", ")", "&&", "||"):
            text = text.replace(separator, "\n")
        return any(line.split()[0] in _ESCAPES for line in text.split("\n") if line.strip())

    # Functions

    def function(self, node: Function, world: World) -> list[World]:
        """Defines a function."""
        world.functions[node.name] = node.body
        world.settle(0)
        return [world]

    def call(self, name: str, arguments: tuple[Value, ...], world: World) -> list[World]:
        """Calls a function."""
        body = world.functions[name]
        session = self.session
        session.enter(session.at.start, session.at.end)
        outer = world.positional
        world.positional = arguments
        world.frames = (*world.frames, {})
        worlds = self.run(body, world)
        for one in worlds:
            frame = one.frames[-1]
            one.frames = one.frames[:-1]
            for variable, old in frame.items():
                if old is None:
                    one.variables.pop(variable, None)
                else:
                    one.variables[variable] = old
                one.exported = None
            one.positional = outer
            if one.flow is not None and one.flow.kind == "return":
                one.flow = None
        session.leave()
        return worlds

    def fault(self, world: World, fault: ExpansionFault) -> list[World]:
        """What an expansion error does: bash gives up the line, or the script."""
        world.settle(1)
        fatal = fault.fatal or "errexit" in world.options
        world.flow = Flow("exit" if fatal else "discard")
        return [world]
