"""Pipelines, and commands joined by `&&` and `||`."""

from __future__ import annotations

from bot.shell.decisions import decide
from bot.shell.runner import Runner
from bot.shell.state import World
from bot.shell.subshells import SubshellResult, Subshells
from bot.shell.syntax import AndOr, CommandNode, Pipeline, Simple

_ESCAPES = frozenset({"exit", "return", "break", "continue", "die", "usage", "false"})


class Pipelines:
    """Runs pipelines and `&&` and `||`."""

    def __init__(self, runner: Runner, subshells: Subshells) -> None:
        self._runner = runner
        self._session = runner.session
        self._subshells = subshells

    def pipeline(self, node: Pipeline, world: World) -> list[World]:
        """Runs a pipeline; each command runs in a shell of its own."""
        if len(node.commands) == 1:
            with self._runner.guarding():
                worlds = self._runner.run(node.commands[0], world)
            for result in worlds:
                _negate(result)
            return worlds
        results = self._stages(node, world)
        output = results[-1].output
        if world.output is not None and output is not None:
            world.output.extend(output)
        status, likely = results[-1].status, results[-1].likely
        if "pipefail" in world.options:
            failed = [result for result in results if result.status != 0]
            if any(result.status is None for result in failed):
                status = None
                likely = all(result.likely for result in failed if result.status is None)
            elif failed:
                status, likely = failed[-1].status, failed[-1].likely
        world.settle(status, likely)
        if node.negated:
            _negate(world)
        else:
            self._runner.check(world)
        return [world]

    def _stages(self, node: Pipeline, world: World) -> list[SubshellResult]:
        results: list[SubshellResult] = []
        value = world.stdin
        last = len(node.commands) - 1
        end = self._stage_name(node.commands[last])
        for index, command in enumerate(node.commands):
            inner = world.copy()
            if index < last and world.piped_to is None:
                inner.piped_to = end
            inner.stdin = value
            inner.output = [] if index < last or world.output is not None else None
            results.append(self._subshells.run(command, inner))
            results[-1].assume(world)
            value = results[-1].output
        return results

    def _stage_name(self, command: CommandNode) -> str:
        if isinstance(command, Simple) and command.words:
            word = command.words[0]
            return self._session.text(word.start, word.end)
        text = self._session.text(command.start, command.end)
        return text.split(None, 1)[0] if text.strip() else ""

    def and_or(self, node: AndOr, world: World) -> list[World]:
        """Runs commands joined by `&&` and `||`."""
        with self._runner.guarding():
            worlds = self._runner.run(node.first, world)
        before: CommandNode = node.first
        for index, (operator, command) in enumerate(node.rest):
            final = index == len(node.rest) - 1
            following: list[World] = []
            for one in worlds:
                for other, success in self._branches(one, node, index, before):
                    if other.flow is not None or success != (operator == "&&"):
                        following.append(other)
                    elif final:
                        following.extend(self._runner.run(command, other))
                    else:
                        with self._runner.guarding():
                            following.extend(self._runner.run(command, other))
            worlds = self._runner.bounded(following, node)
            before = command
        return worlds

    def _branches(
        self, world: World, node: AndOr, index: int, left: CommandNode
    ) -> list[tuple[World, bool]]:
        """The worlds behind the left side of the operator `index`, with whether it succeeded."""
        operator, right = node.rest[index]
        if world.flow is not None:
            return [(world, True)]
        if world.status is not None:
            return [(world, world.status == 0)]
        if operator == "||" and self._escapes(right):
            # `cmd || exit 1`: what follows happens only if it succeeds.
            world.settle(0)
            return [(world, True)]
        if operator == "&&" and world.likely and not self._goes_on(node, index + 1):
            return [(world, True)]
        return decide(self._session, world, left)

    def _goes_on(self, node: AndOr, start: int) -> bool:
        """Whether something runs, and does not leave the script, when what is before it fails."""
        return any(
            operator == "||" and not self._escapes(command)
            for operator, command in node.rest[start:]
        )

    def _escapes(self, command: CommandNode) -> bool:
        """True when a command leaves the script, function or loop."""
        text = self._session.text(command.start, command.end)
        for separator in (";", "\n", "{", "}", "(", ")", "&&", "||"):
            text = text.replace(separator, "\n")
        return any(line.split()[0] in _ESCAPES for line in text.split("\n") if line.strip())


def _negate(world: World) -> None:
    if world.flow is None:
        if world.status is not None:
            world.settle(int(world.status == 0))
        else:
            question = world.question
            world.settle(None, False, "!" + question if question else "")
