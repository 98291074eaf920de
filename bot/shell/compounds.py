"""Compound commands: conditions, loops, `case`, groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bot.shell.conditions import evaluate_condition, match
from bot.shell.expansion import pattern_of, text_of
from bot.shell.loops import Loops
from bot.shell.numbers import Unknown, evaluate
from bot.shell.session import ExpansionFault, Session, shorten
from bot.shell.source import Span
from bot.shell.state import Value, World
from bot.shell.syntax import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    Case,
    Clause,
    Command,
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
from bot.shell.verdicts import Verdict, without_arguments


class Compounds(Loops):
    """Runs compound commands; a list of worlds comes back from each."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._table: dict[type, Callable[..., list[World]]] = {
            Simple: self.simple,
            Pipeline: self.pipeline,
            AndOr: self.and_or,
            Group: self._group,
            Subshell: self._subshell,
            If: self._if,
            Loop: self.loop,
            For: self.for_,
            ArithmeticFor: self.arithmetic_for,
            Case: self._case,
            Conditional: self._conditional,
            ArithmeticCommand: self._arithmetic,
            Function: self.function,
            Redirected: self._redirected,
            Coprocess: self._coprocess,
        }

    def pipeline(self, node: Pipeline, world: World) -> list[World]:
        """Runs a pipeline."""
        raise NotImplementedError

    def and_or(self, node: AndOr, world: World) -> list[World]:
        """Runs commands joined by `&&` and `||`."""
        raise NotImplementedError

    def function(self, node: Function, world: World) -> list[World]:
        """Defines a function."""
        raise NotImplementedError

    def subshell(
        self, command: Command | Script, world: World
    ) -> tuple[tuple[int | None, bool], Value | None]:
        """Runs a command in a shell of its own."""
        raise NotImplementedError

    def run(self, node: Command, world: World) -> list[World]:
        """Runs a command in a world, which it may change; the worlds that come out."""
        try:
            return self._table[type(node)](node, world)
        except ExpansionFault as fault:
            return self.fault(world, fault)

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Where a failing command does not end the script under `set -e`."""
        self.guarded += 1
        try:
            yield
        finally:
            self.guarded -= 1

    # Conditions

    def decide(self, world: World, node: Command | Script) -> list[tuple[World, bool]]:
        """The worlds in which the command that has just run succeeded, and failed."""
        if world.status is not None:
            return [(world, world.status == 0)]
        question = world.question
        negated = len(question) - len(question.lstrip("!"))
        question = question[negated:]
        answer = world.decisions.get(question) if question else None
        if answer is not None:
            answer = answer != (negated % 2 == 1)
            world.settle(0 if answer else 1)
            return [(world, answer)]
        last = node
        while isinstance(last, (Script, AndOr)):
            last = last.items[-1].command if isinstance(last, Script) else last.rest[-1][1]
        text = self.session.text(last.start, last.end)
        tested = text.lstrip("! ").startswith(("[", "((", "test "))
        yes, no = ("is true", "is false") if tested else ("succeeds", "fails")
        text = shorten(text)
        positive = negated % 2 == 0
        return self.split(world, question, positive, f"{text} {yes}", f"{text} {no}")

    def split(
        self, world: World, question: str, positive: bool, yes: str, no: str
    ) -> list[tuple[World, bool]]:
        """The world in which an undecided condition holds, and the one in which it does not."""
        other = world.copy()
        world.settle(0)
        other.settle(1)
        world.assume(yes)
        other.assume(no)
        if question:
            world.decisions = {**world.decisions, question: positive}
            other.decisions = {**other.decisions, question: not positive}
        return [(world, True), (other, False)]

    def condition(self, script: Script, world: World) -> list[tuple[World, bool]]:
        """Runs a condition; worlds that leave the construct count as failed."""
        with self.guarding():
            worlds = self.run_list(script, [world])
        result: list[tuple[World, bool]] = []
        for one in worlds:
            if one.flow is not None:
                result.append((one, False))
            else:
                result.extend(self.decide(one, script))
        return result

    def settle_verdict(self, world: World, verdict: Verdict) -> None:
        """Sets the status that a condition gives."""
        if verdict.outcome is None:
            world.settle(None, False, verdict.question)
        else:
            world.settle(0 if verdict.outcome else 1)

    def _conditional(self, node: Conditional, world: World) -> list[World]:
        self.begin(node)
        self.settle_verdict(world, evaluate_condition(self.session, world, node.condition))
        self.check(world)
        return [world]

    def _arithmetic(self, node: ArithmeticCommand, world: World) -> list[World]:
        self.begin(node)
        try:
            value = evaluate(self.session, world, node.expression, Span(node.start, node.end))
            world.settle(0 if value else 1)
        except Unknown:
            world.settle(None, False)
        self.check(world)
        return [world]

    def _if(self, node: If, world: World) -> list[World]:
        self.begin(node)
        self.session.enter(node.start, node.end)
        results: list[World] = []
        pending = [world]
        for condition, body in node.branches:
            chosen: list[World] = []
            failed: list[World] = []
            for one in pending:
                for other, success in self.condition(condition, one):
                    if other.flow is not None:
                        results.append(other)
                    else:
                        (chosen if success else failed).append(other)
            results.extend(self.run_list(body, self.bounded(chosen, node)))
            pending = self.bounded(failed, node)
        if node.otherwise is not None:
            results.extend(self.run_list(node.otherwise, pending))
        else:
            for one in pending:
                one.settle(0)
            results.extend(pending)
        self.session.leave()
        return self.bounded(results, node)

    # Groups

    def _group(self, node: Group, world: World) -> list[World]:
        self.session.enter(node.start, node.end)
        worlds = self.run_list(node.body, [world])
        self.session.leave()
        return worlds

    def _subshell(self, node: Subshell, world: World) -> list[World]:
        inner = world.copy()
        if inner.output is not None:
            inner.output = []
        (status, likely), output = self.subshell(node.body, inner)
        if world.output is not None and output:
            world.output.extend(output)
        world.settle(status, likely)
        self.check(world)
        return [world]

    def _redirected(self, node: Redirected, world: World) -> list[World]:
        outer_stdin, outer_output = world.stdin, world.output
        to_file = self.redirect(node.redirects, world)
        if to_file:
            world.output = None
        worlds = self.run(node.command, world)
        for one in worlds:
            one.stdin = outer_stdin
            if to_file:
                one.output = None if outer_output is None else list(outer_output)
        return worlds

    def _coprocess(self, node: Coprocess, world: World) -> list[World]:
        self.session.unsupported(
            "the pipes of coproc are not evaluated", Span(node.start, node.end)
        )
        self.run(node.command, world.copy())
        world.settle(0)
        return [world]

    # case

    def _case(self, node: Case, world: World) -> list[World]:
        self.begin(node)
        self.session.enter(node.start, node.end)
        value = without_arguments(self.session, text_of(self.session, world, node.word))
        results: list[World] = []
        pending: list[World] = [world]
        falling: list[World] = []
        for clause in node.clauses:
            chosen = falling
            falling = []
            undecided: list[World] = []
            for one in pending:
                for other, success in self._matching(node, clause, value, one):
                    (chosen if success else undecided).append(other)
            pending = undecided
            for one in chosen:
                one.settle(0)
            worlds = self.run_list(clause.body, self.bounded(chosen, node))
            for one in worlds:
                if one.flow is not None or clause.ending == ";;":
                    results.append(one)
                elif clause.ending == ";&":
                    falling.append(one)
                else:
                    pending.append(one)
        for one in pending:
            one.settle(0)
        self.session.leave()
        return self.bounded([*results, *falling, *pending], node)

    def _matching(
        self, node: Case, clause: Clause, value: Value, world: World
    ) -> list[tuple[World, bool]]:
        """The worlds in which a clause is taken, and in which it is not."""
        session = self.session
        questions: list[str] = []
        for pattern in clause.patterns:
            verdict = match(session, world, value, pattern_of(session, world, pattern))
            if verdict.outcome is True:
                return [(world, True)]
            if verdict.outcome is None:
                questions.append(verdict.question)
        if not questions:
            return [(world, False)]
        question = "|".join(questions) if all(questions) else ""
        if question in world.decisions:
            return [(world, world.decisions[question])]
        subject = session.text(node.word.start, node.word.end)
        patterns = session.text(clause.patterns[0].start, clause.patterns[-1].end)
        text = shorten(f"{subject} matches {patterns}")
        return self.split(world, question, True, f"{text} is true", f"{text} is false")
