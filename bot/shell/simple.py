"""Simple commands: assignments, builtins, functions, and other commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.base.messages import message
from bot.shell.assignments import carry_out, declared, prefixed
from bot.shell.builtins import BUILTINS, Builtins
from bot.shell.expansion import expand_words
from bot.shell.external import ExternalCommands
from bot.shell.functions import call
from bot.shell.limits import LimitReached
from bot.shell.redirections import Redirection, redirect_nothing
from bot.shell.runner import Runner
from bot.shell.session import hole
from bot.shell.state import ShellVariable, World, all_arguments, known
from bot.shell.syntax import Assignment, Simple
from bot.shell.words import Variable, Word

_WRITING = frozenset({"cat", "echo", "printf"})
"""Commands with which scripts write others."""


class SimpleCommands:
    """Runs simple commands."""

    def __init__(self, runner: Runner, builtins: Builtins, external: ExternalCommands) -> None:
        self._runner = runner
        self._session = runner.session
        self._builtins = builtins
        self._external = external

    def run(self, node: Simple, world: World) -> list[World]:
        """Runs a simple command."""
        self._runner.begin(node)
        self._session.substituted = False
        words = self._words(node, world)
        if not words:
            self._assignments(node, world)
            self._runner.check(world)
            return [world]
        redirection = None
        if node.redirects:
            kept = isinstance(words[0], Word) and known(words[0].pieces) in _WRITING
            redirection = Redirection(self._session, node.redirects, world, kept=kept)
        worlds = self._command(node, world, words)
        for one in worlds:
            if redirection is not None:
                redirection.close(one)
            if one.flow is None:
                self._runner.check(one)
        return worlds

    def _command(self, node: Simple, world: World, words: list[Word | Assignment]) -> list[World]:
        """Runs the function, builtin or other command that the first word names."""
        name = known(words[0].pieces) if isinstance(words[0], Word) else None
        plain = [word for word in words if isinstance(word, Word)]
        if name is not None and name in world.functions:
            arguments = tuple(word.pieces for word in plain[1:])
            if not arguments and self._passes_all(node):
                arguments = world.positional
            return self._with_prefix(
                node, world, lambda _: call(self._runner, name, arguments, world)
            )
        if name is not None and name in BUILTINS:
            return self._with_prefix(
                node, world, lambda _: self._builtins.run(name, words, node, world)
            )
        return self._with_prefix(
            node, world, lambda prefix: self._external.run(node, world, plain, prefix)
        )

    def _assignments(self, node: Simple, world: World) -> None:
        """Carries out assignments without a command."""
        session = self._session
        before = world.status
        if not session.substituted:
            world.settle(0)
        for assignment in node.assignments:
            carry_out(session, world, assignment)
        if not session.substituted:
            world.settle(0)
        elif world.status is None and before is None:
            world.likely = True
        if node.redirects:
            redirect_nothing(session, node, world)

    def _passes_all(self, node: Simple) -> bool:
        """Whether a command gets all the arguments and nothing else: `main "$@"`."""
        texts = [self._session.text(word.start, word.end) for word in node.words[1:]]
        return len(texts) == 1 and all_arguments(texts[0])

    def _words(self, node: Simple, world: World) -> list[Word | Assignment]:
        words: list[Word | Assignment] = []
        session = self._session
        try:
            for word in node.words:
                if isinstance(word, Assignment):
                    words.extend(declared(session, world, word))
                elif word.ready is not None:
                    words.append(word.ready)
                else:
                    words.extend(expand_words(session, world, [word]))
            session.spend_words(len(words))
        except LimitReached as reached:
            if reached.bound not in ("expansion", "words"):
                raise
            session.limit(reached, message("a word is left unknown"))
            span = node.span
            words.append(Word(hole("limit", "text longer than the reader keeps", span), span))
        return words

    def _with_prefix(
        self, node: Simple, world: World, run: Callable[[Sequence[Variable]], list[World]]
    ) -> list[World]:
        """Runs a command with the assignments in front of it in force."""
        if not node.assignments:
            return run(())
        records: list[Variable] = []
        kept: dict[str, ShellVariable | None] = {}
        for assignment in node.assignments:
            name, value, record = prefixed(self._session, world, assignment)
            kept.setdefault(name, world.variables.get(name))
            records.append(record)
            span = record.value_span
            world.set(
                name,
                ShellVariable(value, exported=True, name_span=record.name_span, value_span=span),
            )
        worlds = run(records)
        for one in worlds:
            one.restore(kept)
        return worlds
