"""Compound commands: `if`, `case`, groups, `[[ ]]`, `(( ))`, and redirections around them."""

from __future__ import annotations

from bot.shell.expand.expansion import pattern_of, text_of
from bot.shell.expand.numbers import Unknown, evaluate
from bot.shell.parse.syntax import (
    ArithmeticCommand,
    Case,
    Clause,
    Conditional,
    Coprocess,
    Group,
    If,
    Redirected,
)
from bot.shell.pieces import Value
from bot.shell.run.conditions import evaluate_condition, match
from bot.shell.run.decisions import Alternatives, condition, split
from bot.shell.run.redirections import Redirection
from bot.shell.run.runner import Runner
from bot.shell.run.verdicts import without_arguments
from bot.shell.source import Span
from bot.shell.world.session import CommandFault, shorten
from bot.shell.world.state import World


def conditional(runner: Runner, node: Conditional, world: World) -> list[World]:
    """Runs `[[ … ]]`."""
    runner.begin(node)
    evaluate_condition(runner.session, world, node.condition).settle(world)
    runner.check(world)
    return [world]


def arithmetic(runner: Runner, node: ArithmeticCommand, world: World) -> list[World]:
    """Runs `((…))`."""
    runner.begin(node)
    try:
        value = evaluate(runner.session, world, node.expression, node.span)
        world.settle(0 if value else 1)
    except CommandFault:
        world.settle(1)
    except Unknown:
        world.settle(None, False)
    runner.check(world)
    return [world]


def run_if(runner: Runner, node: If, world: World) -> list[World]:
    """Runs `if`."""
    runner.begin(node)
    runner.session.enter(node.start, node.end)
    results: list[World] = []
    pending = [world]
    for test, body in node.branches:
        chosen: list[World] = []
        failed: list[World] = []
        for one in pending:
            for other, success in condition(runner, test, one):
                if other.flow is not None:
                    results.append(other)
                else:
                    (chosen if success else failed).append(other)
        results.extend(runner.run_list(body, runner.bounded(chosen, node)))
        pending = runner.bounded(failed, node)
    if node.otherwise is not None:
        results.extend(runner.run_list(node.otherwise, pending))
    else:
        for one in pending:
            one.settle(0)
        results.extend(pending)
    runner.session.leave()
    return runner.bounded(results, node)


def group(runner: Runner, node: Group, world: World) -> list[World]:
    """Runs `{ …; }`."""
    runner.session.enter(node.start, node.end)
    worlds = runner.run_list(node.body, [world])
    runner.session.leave()
    return worlds


def redirected(runner: Runner, node: Redirected, world: World) -> list[World]:
    """Runs a compound command with redirections."""
    redirection = Redirection(runner.session, node.redirects, world)
    worlds = runner.run(node.command, world)
    for one in worlds:
        redirection.close(one)
    return worlds


def coprocess(runner: Runner, node: Coprocess, world: World) -> list[World]:
    """Runs `coproc`, whose pipes are not evaluated."""
    runner.session.unsupported("the pipes of coproc are not evaluated", node.span)
    runner.run(node.command, world.copy())
    world.settle(0)
    return [world]


def case(runner: Runner, node: Case, world: World) -> list[World]:
    """Runs `case`."""
    session = runner.session
    runner.begin(node)
    session.enter(node.start, node.end)
    value = without_arguments(session, text_of(session, world, node.word))
    results: list[World] = []
    pending: list[World] = [world]
    falling: list[World] = []
    for clause in node.clauses:
        chosen = falling
        falling = []
        undecided: list[World] = []
        for one in pending:
            for other, success in _split_by_clause(runner, node, clause, value, one):
                (chosen if success else undecided).append(other)
        pending = undecided
        for one in () if clause.body.items else chosen:
            one.settle(0)
        worlds = runner.run_list(clause.body, runner.bounded(chosen, node))
        following = {";;": results, ";&": falling, ";;&": pending}[clause.ending]
        for one in worlds:
            (results if one.flow is not None else following).append(one)
    for one in pending:
        one.settle(0)
    session.leave()
    return runner.bounded([*results, *falling, *pending], node)


def _split_by_clause(
    runner: Runner, node: Case, clause: Clause, value: Value, world: World
) -> list[tuple[World, bool]]:
    """The worlds in which a clause is taken, and in which it is not."""
    session = runner.session
    questions: list[str] = []
    for pattern in clause.patterns:
        verdict = match(session, value, pattern_of(session, world, pattern))
        if verdict.outcome is True:
            return [(world, True)]
        if verdict.outcome is None:
            questions.append(verdict.question)
    if not questions:
        return [(world, False)]
    question = "|".join(questions) if all(questions) else ""
    answer = world.answer_to(question) if question else None
    if answer is not None:
        return [(world, answer)]
    subject = session.text(node.word)
    patterns = session.text(Span(clause.patterns[0].start, clause.patterns[-1].end))
    text = shorten(f"{subject} matches {patterns}")
    return split(
        session, world, Alternatives(question, True, f"{text} is true", f"{text} is false")
    )
