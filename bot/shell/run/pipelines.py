"""Pipelines, and commands joined by `&&` and `||`."""

from __future__ import annotations

from bot.shell.parse.syntax import AndOr, CommandNode, Pipeline, Simple
from bot.shell.run.decisions import decide
from bot.shell.run.runner import Runner
from bot.shell.run.subshells import SubshellResult, in_subshell
from bot.shell.world.state import World

_ESCAPES = frozenset({"exit", "return", "break", "continue", "die", "usage", "false"})


def pipeline(runner: Runner, node: Pipeline, world: World) -> list[World]:
    """Runs a pipeline; each command runs in a shell of its own."""
    if len(node.commands) == 1:
        with runner.guarding():
            worlds = runner.run(node.commands[0], world)
        for result in worlds:
            _negate(result)
        return worlds
    results = _stages(runner, node, world)
    output = results[-1].output
    if world.output is not None and output is not None:
        world.output.extend(output)
    status, likely = results[-1].status, results[-1].likely
    if "pipefail" in world.options:
        failed = [result for result in results if result.status]
        unknown = [result for result in results if result.status is None]
        if failed:
            # Whatever the others do, it is not 0.
            status, likely = failed[-1].status, failed[-1].likely
        elif unknown:
            status, likely = None, all(result.likely for result in unknown)
    world.settle(status, likely)
    if node.negated:
        _negate(world)
    else:
        runner.check(world)
    return [world]


def _stages(runner: Runner, node: Pipeline, world: World) -> list[SubshellResult]:
    results: list[SubshellResult] = []
    value = world.stdin
    last = len(node.commands) - 1
    end = _stage_name(runner, node.commands[last])
    for index, command in enumerate(node.commands):
        inner = world.copy()
        if index < last and world.piped_to is None:
            inner.piped_to = end
        inner.stdin = value
        inner.output = [] if index < last or world.output is not None else None
        results.append(in_subshell(runner, command, inner))
        results[-1].assume(world)
        value = results[-1].output
    return results


def _stage_name(runner: Runner, command: CommandNode) -> str:
    if isinstance(command, Simple) and command.words:
        word = command.words[0]
        return runner.session.text(word)
    text = runner.session.text(command)
    return text.split(None, 1)[0] if text.strip() else ""


def and_or(runner: Runner, node: AndOr, world: World) -> list[World]:
    """Runs commands joined by `&&` and `||`."""
    with runner.guarding():
        worlds = runner.run(node.first, world)
    before: CommandNode = node.first
    fallback = _last_fallback(runner, node)
    for index, (operator, command) in enumerate(node.rest):
        final = index == len(node.rest) - 1
        following: list[World] = []
        for one in worlds:
            goes_on = index < fallback
            for other, success in _after_left_side(runner, one, node.rest[index], before, goes_on):
                if other.flow is not None or success != (operator == "&&"):
                    following.append(other)
                elif final:
                    following.extend(runner.run(command, other))
                else:
                    with runner.guarding():
                        following.extend(runner.run(command, other))
        worlds = runner.bounded(following, node)
        before = command
    return worlds


def _after_left_side(
    runner: Runner,
    world: World,
    right_side: tuple[str, CommandNode],
    left: CommandNode,
    goes_on: bool,
) -> list[tuple[World, bool]]:
    """The worlds behind the left side of an operator, with whether it succeeded.

    `goes_on` says whether something runs, and does not leave the script, when it fails.
    """
    operator, right = right_side
    if world.flow is not None:
        return [(world, True)]
    if world.status is not None:
        return [(world, world.status == 0)]
    if operator == "||" and _escapes(runner, right):
        # `cmd || exit 1`: what follows happens only if it succeeds.
        world.settle(0)
        return [(world, True)]
    if operator == "&&" and world.likely and not goes_on:
        return [(world, True)]
    return decide(runner.session, world, left)


def _last_fallback(runner: Runner, node: AndOr) -> int:
    """Which of the commands is the last that stands behind `||` and does not leave the script."""
    for index in range(len(node.rest) - 1, -1, -1):
        operator, command = node.rest[index]
        if operator == "||" and not _escapes(runner, command):
            return index
    return -1


def _escapes(runner: Runner, command: CommandNode) -> bool:
    """True when a command leaves the script, function or loop."""
    text = runner.session.text(command)
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
