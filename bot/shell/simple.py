"""Simple commands: assignments, builtins, functions, and commands that are recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.shell.assignments import carry_out, declared, prefixed
from bot.shell.builtins import BUILTINS, Builtins
from bot.shell.expansion import expand_words, text_of
from bot.shell.limits import LimitReached
from bot.shell.pure import PURE, content, pure
from bot.shell.session import Session, hole, shorten
from bot.shell.source import Span
from bot.shell.state import Flow, Value, Variable, World, all_arguments, known
from bot.shell.syntax import Assignment, Redirect, Simple, Substitution, WordNode
from bot.shell.words import Command, Piece, Word
from bot.shell.words import Variable as Record

_PROBES = frozenset(
    {
        "grep", "egrep", "fgrep", "rg", "which", "pgrep", "nvidia-smi", "rocm-smi",
        "nvcc", "npu-smi", "diff", "cmp", "mountpoint", "lspci", "ping", "nc", "curl",
        "lsof", "id", "getent", "ss", "netstat",
    }
)  # fmt: skip
"""Commands that scripts run to find something out: failing is an ordinary answer."""

_WRITERS = frozenset(
    {"cp", "mv", "rm", "ln", "tee", "sed", "touch", "install", "truncate", "wget", "curl", "git"}
)
"""Commands that change the files that they name."""


class Simples(Builtins):
    """Runs simple commands."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.guarded = 0

    def check(self, world: World) -> None:
        """Ends the script after a failed command where `set -e` says so."""
        if world.status and not self.guarded and "errexit" in world.options and world.flow is None:
            world.flow = Flow("exit")

    def simple(self, node: Simple, world: World) -> list[World]:
        """Runs a simple command."""
        session = self.session
        session.step(node.start, node.end)
        session.at = Span(node.start, node.end)
        session.substituted = False
        words = self._words(node, world)
        if not words:
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
                self._only_redirects(node, world)
            self.check(world)
            return [world]
        name = known(words[0].pieces) if isinstance(words[0], Word) else None
        outer_stdin, outer_output = world.stdin, world.output
        to_file = False
        if node.redirects:
            to_file = self.redirect(node.redirects, world)
            if to_file:
                world.output = None
        if name is not None and name in world.functions:
            arguments = tuple(word.pieces for word in words[1:] if isinstance(word, Word))
            if not arguments and self._passes_all(node):
                arguments = world.positional
            worlds = self._with_prefix(node, world, lambda _: self.call(name, arguments, world))
        elif name is not None and name in BUILTINS:
            worlds = self._with_prefix(
                node, world, lambda _: self.builtin(name, words, node, world)
            )
        else:
            plain = [word for word in words if isinstance(word, Word)]
            worlds = self._with_prefix(
                node, world, lambda prefix: self.external(node, world, plain, prefix)
            )
        for one in worlds:
            if node.redirects:
                if outer_stdin is not one.stdin and _reads(node.redirects):
                    one.stdin = outer_stdin
                if to_file:
                    one.output = None if outer_output is None else list(outer_output)
            if one.flow is None:
                self.check(one)
        return worlds

    def _passes_all(self, node: Simple) -> bool:
        """Whether a command gets all the arguments and nothing else: `main "$@"`."""
        texts = [self.session.text(word.start, word.end) for word in node.words[1:]]
        return len(texts) == 1 and all_arguments(texts[0])

    def _only_redirects(self, node: Simple, world: World) -> None:
        """Redirections without a command; `$(< file)` gives the content of the file."""
        inner = world.copy()
        self.redirect(node.redirects, inner)
        last = node.redirects[-1]
        if world.output is None or node.assignments or last.operator != "<":
            return
        if inner.stdin is None:
            text = shorten(self.session.text(last.start, last.end))
            span = Span(node.start, node.end)
            world.output.extend(hole("command", f"output of {text}", span))
        else:
            world.output.extend(inner.stdin)

    def _words(self, node: Simple, world: World) -> list[Word | Assignment]:
        words: list[Word | Assignment] = []
        session = self.session
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
            session.limit(reached, "a word is left unknown")
            span = Span(node.start, node.end)
            words.append(Word(hole("limit", "text longer than the reader keeps", span), span))
        return words

    def _with_prefix(
        self, node: Simple, world: World, run: Callable[[Sequence[Record]], list[World]]
    ) -> list[World]:
        """Runs a command with the assignments in front of it in force."""
        if not node.assignments:
            return run(())
        records: list[Record] = []
        kept: dict[str, Variable | None] = {}
        for assignment in node.assignments:
            name, value, record = prefixed(self.session, world, assignment)
            kept.setdefault(name, world.variables.get(name))
            records.append(record)
            span = record.value_span
            world.set(
                name, Variable(value, exported=True, name_span=record.name_span, value_span=span)
            )
        worlds = run(records)
        for one in worlds:
            for name, old in kept.items():
                if old is None:
                    one.variables.pop(name, None)
                else:
                    one.variables[name] = old
            one.exported = None
        return worlds

    # Commands

    def external(
        self, node: Simple, world: World, words: list[Word], prefix: Sequence[Record] = ()
    ) -> list[World]:
        """Records a command that is no builtin."""
        session = self.session
        environment = world.environment(session)
        program = known(words[0].pieces)
        value: Value | None = None
        status: int | None = None
        base = (program or "").rsplit("/", 1)[-1]
        if world.output is not None and base in PURE:
            result = pure(session, world, base, words[1:], Span(node.start, node.end))
            if result is not None:
                value, status = result
        if not (session.inner and base in PURE):
            starts = [assignment.start for assignment in node.assignments]
            starts += [word.start for word in node.words[:1]]
            ends = [word.end for word in node.words] or [node.end]
            session.spend(0, 5 * len(words))
            session.record(
                Command(
                    argv=tuple(words),
                    span=Span(min(starts), ends[-1]),
                    environment=environment,
                    prefix=tuple(prefix),
                    pipeline=world.pipe,
                    pipefail="pipefail" in world.options,
                    assumptions=world.assumptions,
                )
            )
        self._writes(base, words[1:], world)
        if self.shell(words, world, Span(node.start, node.end)):
            if program == "exec":
                world.flow = Flow("exit")
            return [world]
        if world.output is not None:
            if value is None:
                text = shorten(session.text(node.start, node.end))
                value = hole("command", f"output of {text}", Span(node.start, node.end))
            world.output.extend(value)
        world.settle(status, program not in _PROBES)
        if program == "exec":
            world.flow = Flow("exit")
        return [world]

    def _writes(self, base: str, words: list[Word], world: World) -> None:
        """Notes the files of the tree that a command may change."""
        tree = self.session.tree
        if tree.known and base in _WRITERS:
            for word in words:
                tree.wrote(world, word.pieces)

    # Redirections

    def redirect(self, redirects: list[Redirect], world: World) -> bool:
        """Opens redirections; True when the output goes elsewhere."""
        to_file = False
        for item in redirects:
            operator = item.operator
            if operator in ("<<", "<<-"):
                world.stdin = text_of(self.session, world, item.target)
            elif operator == "<<<":
                value = text_of(self.session, world, item.target)
                world.stdin = (*value, Piece("\n", Span(item.end, item.end), False))
            elif operator in ("<", "<>", "<&"):
                world.stdin = self._input(item.target, world)
            else:
                prefix = self.session.text(item.start, item.start + 1)
                if item.target.ready is None or self.session.tree.known:
                    value = text_of(self.session, world, item.target)
                    self.session.tree.wrote(world, value)
                if prefix in "1&>":
                    to_file = True
        return to_file

    def _input(self, target: WordNode, world: World) -> Value | None:
        part = target.parts[0] if len(target.parts) == 1 else None
        if isinstance(part, Substitution) and part.process == "<":
            return self.session.capture(world, part.body)
        value = text_of(self.session, world, target)
        if known(value) == "/dev/null":
            return ()
        return content(self.session, world, value, Span(target.start, target.end))


def _reads(redirects: list[Redirect]) -> bool:
    return any(item.operator.startswith("<") for item in redirects)
