"""Simple commands: assignments, builtins, functions, and other commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from bot.base.messages import message
from bot.shell.expand.assignments import carry_out, declared, prefixed
from bot.shell.expand.expansion import fields, may_be_several
from bot.shell.limits import LimitReached
from bot.shell.parse.syntax import Assignment, Simple
from bot.shell.pieces import known
from bot.shell.run.builtins import BUILTINS, run_builtin
from bot.shell.run.external import run_external
from bot.shell.run.functions import call
from bot.shell.run.redirections import Redirection, redirect_nothing
from bot.shell.run.runner import Runner
from bot.shell.words import Variable, Word
from bot.shell.world.session import ExpansionFault, ReadonlyFault, hole
from bot.shell.world.state import ShellVariable, World, all_arguments, arguments_of

_WRITING = frozenset({"cat", "echo", "printf"})
"""Commands with which scripts write others."""


def simple(runner: Runner, node: Simple, world: World) -> list[World]:
    """Runs a simple command."""
    runner.begin(node)
    runner.session.substituted = False
    words = _words(runner, node, world)
    if not words:
        _assignments(runner, node, world)
        runner.check(world)
        return [world]
    redirection = None
    if node.redirects:
        kept = isinstance(words[0], Word) and known(words[0].pieces) in _WRITING
        redirection = Redirection(runner.session, node.redirects, world, kept=kept)
    worlds = _command(runner, node, world, words)
    for one in worlds:
        if redirection is not None:
            redirection.close(one)
        if one.flow is None:
            runner.check(one)
    return worlds


def _command(
    runner: Runner, node: Simple, world: World, words: list[Word | Assignment]
) -> list[World]:
    """Runs the function, builtin or other command that the first word names."""
    name = known(words[0].pieces) if isinstance(words[0], Word) else None
    plain = [word for word in words if isinstance(word, Word)]
    if name is not None and name in world.functions:
        arguments = arguments_of(plain[1:])
        if not arguments and _passes_all(runner, node):
            arguments = world.positional
        return _with_prefix(runner, node, world, lambda _: call(runner, name, arguments, world))
    if name is not None and name in BUILTINS:
        return _with_prefix(
            runner, node, world, lambda _: run_builtin(runner, name, words, node, world)
        )
    return _with_prefix(
        runner, node, world, lambda prefix: run_external(runner, node, world, plain, prefix)
    )


def _assignments(runner: Runner, node: Simple, world: World) -> None:
    """Carries out assignments without a command."""
    session = runner.session
    before = world.status
    for assignment in node.assignments:
        carry_out(session, world, assignment)
    if not session.substituted:
        world.settle(0)
    elif world.status is None and before is None:
        world.likely = True
    if node.redirects:
        redirect_nothing(session, node, world)


def _passes_all(runner: Runner, node: Simple) -> bool:
    """Whether a command gets all the arguments and nothing else: `main "$@"`."""
    texts = [runner.session.text(word) for word in node.words[1:]]
    return len(texts) == 1 and all_arguments(texts[0])


def _words(runner: Runner, node: Simple, world: World) -> list[Word | Assignment]:
    words: list[Word | Assignment] = []
    session = runner.session
    try:
        for word in node.words:
            if isinstance(word, Assignment):
                words.extend(declared(session, world, word))
            elif word.ready is not None and "nullglob" not in world.options:
                words.append(word.ready)
            else:
                values = fields(session, world, word)
                session.spend_words(len(values))
                several = may_be_several(world, word, values)
                words.extend(Word(value, word.span, several) for value in values)
        session.spend_words(len(words))
    except LimitReached as reached:
        if reached.bound not in ("expansion", "words"):
            raise
        session.limit(reached, message("a word is left unknown"))
        span = node.span
        words.append(Word(hole("limit", "text longer than the reader keeps", span), span))
    return words


def _with_prefix(
    runner: Runner, node: Simple, world: World, run: Callable[[Sequence[Variable]], list[World]]
) -> list[World]:
    """Runs a command with the assignments in front of it in force."""
    if not node.assignments:
        return run(())
    records: list[Variable] = []
    kept: dict[str, ShellVariable | None] = {}
    try:
        for assignment in node.assignments:
            with suppress(ReadonlyFault):
                name, value, record = prefixed(runner.session, world, assignment)
                kept.setdefault(name, world.variables.get(name))
                records.append(record)
                at, where = record.name_span, record.value_span
                world.set(name, ShellVariable(value, exported=True, name_span=at, value_span=where))
    except ExpansionFault:
        world.restore(kept)
        raise
    worlds = run(records)
    for one in worlds:
        one.restore(kept)
    return worlds
