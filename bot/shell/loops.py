"""Loops."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from bot.base.messages import message
from bot.base.regex import regex
from bot.shell.decisions import condition
from bot.shell.expansion import fields
from bot.shell.limits import LimitReached
from bot.shell.numbers import Unknown, evaluate
from bot.shell.runner import Runner
from bot.shell.session import hole, shorten
from bot.shell.source import Span
from bot.shell.state import Flow, OpenArguments, Value, World, all_arguments
from bot.shell.syntax import ArithmeticFor, CommandNode, For, Loop, Script
from bot.shell.values import AssignedAt, assign_scalar
from bot.shell.ways import UNSTABLE
from bot.shell.widening import comes_back, widened

_APART = 4
"""Worlds that left a loop in different rounds and are kept apart."""
_ROUNDS = 50
"""Rounds of a loop that waits for something; what a later one would change is unknown."""
_PATIENCE = 100
"""The same, of one that ends the script when it has waited."""
_COUNTED = 4
"""The same, of one that sleeps, and counts in each round what is there."""
_SLEEPS = regex(r"\bsleep\b")
_LEAVES = regex(r"\b(?:break|return|exit)\b")


def _shifted(before: World, after: World) -> bool:
    """Whether a round took arguments whose number nobody knows."""
    return isinstance(after.positional, OpenArguments) and after.positional is not before.positional


class Loops:
    """Runs loops."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._session = runner.session

    def _turn(self, body: Script, world: World) -> tuple[list[World], list[World]]:
        """One round: the worlds that go on with the loop, and those that leave it."""
        staying: list[World] = []
        leaving: list[World] = []
        for one in self._runner.run_list(body, [world]):
            flow = one.flow
            if flow is None:
                staying.append(one)
            elif flow.kind in ("break", "continue"):
                if flow.levels > 1:
                    one.flow = Flow(flow.kind, flow.levels - 1)
                    leaving.append(one)
                else:
                    one.flow = None
                    (staying if flow.kind == "continue" else leaving).append(one)
            else:
                leaving.append(one)
        return staying, leaving

    def _count(self, rounds: int, node: CommandNode) -> bool:
        """Counts a round; False when there may be no further one."""
        self._session.step(node.start, node.end)
        if rounds <= self._session.limits.iterations:
            return True
        reached = LimitReached("iterations", self._session.limits, node.span)
        self._session.limit(reached, message("a loop is left here"))
        return False

    def loop(self, node: Loop, world: World) -> list[World]:
        """Runs `while` and `until`."""
        return self._while(
            node,
            world,
            lambda one: [
                (other, success != node.until)
                for other, success in condition(self._runner, node.condition, one)
            ],
        )

    def _while(
        self,
        node: Loop | ArithmeticFor,
        world: World,
        test: Callable[[World], list[tuple[World, bool]]],
        after: Callable[[World], None] | None = None,
    ) -> list[World]:
        self._runner.begin(node)
        self._session.enter(node.start, node.end)
        done: list[World] = []
        active = [world]
        rounds = 0
        waits = False
        while active:
            rounds += 1
            if not self._count(rounds, node):
                done.extend(active)
                break
            following: list[World] = []
            starts = [one.copy() for one in active]
            for one in active:
                going, gone = self._round(one, node.body, test, after)
                following.extend(going)
                done.extend(gone)
            active = self._runner.bounded(self._changed(node, following, starts, done), node)
            done = self._runner.bounded(done, node)
            many = len(active) > _APART
            waits = waits or sum(one.flow is None for one in done) > _APART
            if active and (done or many) and rounds >= self._most(node, many=many, waits=waits):
                done.extend([*starts, *active])
                active = []
                waits = True
            if waits:
                done = self._left(done)
        self._session.leave()
        return done

    def _most(self, node: Loop | ArithmeticFor, *, many: bool, waits: bool) -> int:
        """The rounds after which a loop is left."""
        if many and self._waits(node.body):
            return _COUNTED
        return _ROUNDS if waits or many else _PATIENCE

    def _changed(
        self,
        node: Loop | ArithmeticFor,
        worlds: list[World],
        starts: list[World],
        done: list[World],
    ) -> list[World]:
        """The worlds behind a round in which something but a file is as in none that it began with.

        What comes of the others is known. Where only the outcome of a command can end the loop
        they leave it, some time.
        """
        changed: list[World] = []
        for world in worlds:
            if not any(comes_back(world, start) for start in starts):
                changed.append(world)
            elif self._leaves(node.body):
                found = next((one for one in done if comes_back(world, one)), None)
                if found is not None:
                    widened([found, world], "when the loop is left")
                elif all(one.flow is not None for one in done):
                    done.append(world)
        return changed

    def _left(self, worlds: list[World]) -> list[World]:
        """Worlds that left a loop which waits for something: in which round is unknown."""
        self._session.work(sum(len(world.variables) for world in worlds) // 16)
        return widened(worlds, "when the loop is left")

    def _round(
        self,
        world: World,
        body: Script,
        test: Callable[[World], list[tuple[World, bool]]],
        after: Callable[[World], None] | None,
    ) -> tuple[list[World], list[World]]:
        """One round: the worlds that need another one, and those behind the loop."""
        following: list[World] = []
        done: list[World] = []
        before = world.copy()
        branches = test(world)
        decided = len(branches) == 1
        for other, goes_on in branches:
            if other.flow is not None or not goes_on:
                if other.flow is None:
                    other.settle(0)
                done.append(other)
                continue
            staying, leaving = self._turn(body, other)
            done.extend(leaving)
            for stayed in staying:
                if after is not None:
                    after(stayed)
                # How often is unknown: once stands for any number of times.
                once = not decided or _shifted(before, stayed)
                (done if once else following).append(stayed)
        return following, done

    def _leaves(self, body: Script) -> bool:
        return _LEAVES.search(self._session.text(body.start, body.end)) is not None

    def for_(self, node: For, world: World) -> list[World]:
        """Runs `for name in words`."""
        self._runner.begin(node)
        if node.select:
            return self._select(node, world)
        values = self._values(node, world)
        self._session.enter(node.start, node.end)
        name_span = Span(node.name_start, node.name_start + len(node.name))
        done: list[World] = []
        active = [world]
        waited = False
        world.settle(0)
        for rounds, value in enumerate(values, 1):
            if not active or not self._count(rounds, node):
                break
            following: list[World] = []
            span = Span(value[0].span.start, value[-1].span.end) if value else name_span
            if span.end < span.start:
                span = value[0].span
            for one in active:
                assign_scalar(self._session, one, node.name, value, AssignedAt(name_span, span))
                staying, leaving = self._turn(node.body, one)
                following.extend(staying)
                done.extend(leaving)
            active = self._runner.bounded(following, node)
            done = self._runner.bounded(done, node)
            counts = rounds >= _COUNTED and len(active) > _APART and self._waits(node.body)
            if counts:
                done, active = [*done, *active], []
            if waited or counts or len(done) > _APART:
                waited = True
                done = self._left(done)
        self._session.leave()
        return self._runner.bounded([*active, *done], node)

    def _values(self, node: For, world: World) -> list[Value]:
        """What a loop goes over."""
        if node.words is None:
            values = list(world.positional)
        else:
            values = []
            for word in node.words:
                values.extend(fields(self._session, world, word))
                self._session.spend_words(len(values))
        open_ = isinstance(world.positional, OpenArguments) and self._session.needs_arguments
        if open_ and not values and self._over_arguments(node):
            span = Span(node.name_start, node.name_start + len(node.name))
            values = [hole("argument", "an argument", span, "@")]
        return values

    def _waits(self, body: Script) -> bool:
        """Whether a loop sleeps until something is there."""
        text = self._session.text(body.start, body.end)
        return self._leaves(body) and _SLEEPS.search(text) is not None

    def _over_arguments(self, node: For) -> bool:
        """Whether a loop goes over the script's arguments."""
        if node.words is None:
            return True
        texts = [self._session.text(word.start, word.end) for word in node.words]
        return len(texts) == 1 and all_arguments(texts[0])

    def _select(self, node: For, world: World) -> list[World]:
        """Runs `select`: what is chosen is unknown, and how often; once stands for all."""
        name_span = Span(node.name_start, node.name_start + len(node.name))
        for word in node.words or []:
            fields(self._session, world, word)
        choice = hole("command", "choice of select", name_span)
        never = world.copy()
        never.settle(0)
        assign_scalar(self._session, world, node.name, choice, AssignedAt(name_span, name_span))
        staying, leaving = self._turn(node.body, world)
        return self._runner.bounded([*staying, *leaving, never], node)

    def arithmetic_for(self, node: ArithmeticFor, world: World) -> list[World]:
        """Runs `for ((a; b; c))`."""
        span = node.span

        def test(one: World) -> list[tuple[World, bool]]:
            if not node.condition.parts:
                return [(one, True)]
            try:
                value = evaluate(self._session, one, node.condition, span)
            except Unknown:
                other = one.copy()
                text = shorten(self._session.text(node.condition.start, node.condition.end))
                one.suppose(f"{UNSTABLE}({text})", True, f"({text}) is true")
                other.suppose(f"{UNSTABLE}({text})", False, f"({text}) is false")
                return [(one, True), (other, False)]
            return [(one, value != 0)]

        def after(one: World) -> None:
            try:
                evaluate(self._session, one, node.after, span)
            except Unknown:
                return

        with suppress(Unknown):
            evaluate(self._session, world, node.before, span)
        return self._while(node, world, test, after)
