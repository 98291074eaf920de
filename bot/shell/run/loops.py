"""Loops."""

from __future__ import annotations

from collections.abc import Callable

from bot.base.messages import message
from bot.base.regex import regex
from bot.shell.expand.expansion import fields, may_be_several
from bot.shell.expand.numbers import Unknown, evaluate
from bot.shell.limits import LimitReached
from bot.shell.parse.syntax import ArithmeticFor, CommandNode, For, Loop, Script, WordNode
from bot.shell.pieces import Value, extent, may_split
from bot.shell.run.decisions import condition
from bot.shell.run.runner import Runner
from bot.shell.source import Span
from bot.shell.world.session import CommandFault, ReadonlyFault, Session, hole, shorten
from bot.shell.world.state import Flow, OpenArguments, UncountedArguments, World, all_arguments
from bot.shell.world.values import AssignedAt, assign_scalar
from bot.shell.world.ways import UNSTABLE
from bot.shell.world.widening import comes_back, counters, mixed, uncount, widened

_APART = 4
"""Worlds that left a loop in different rounds and are kept apart."""
_ROUNDS = 50
"""Rounds of a loop that waits for something; what a later one would change is unknown."""
_PATIENCE = 100
"""The same, of one that ends the script when it has waited."""
_COUNTED = 4
"""The same, where each round has several ways that are kept apart, or only waits."""
_SLEEPS = regex(r"\bsleep\b")
_LEAVES = regex(r"\b(?:break|return|exit)\b")
_TAKES_OPTIONS = regex(r"\b(?:shift|getopts)\b")
"""What a loop takes the script's arguments with."""
_OPTIONS = regex(r"\b(?:el)?if\b|;;")
"""What tells apart the options that a loop over the script's arguments takes."""
_MOST_OPTIONS = 3
"""Arguments of the caller that a loop is read with, since each has several ways."""


def _shifted(before: World, after: World) -> bool:
    """Whether a round took arguments whose number nobody knows."""
    kinds = (OpenArguments, UncountedArguments)
    return isinstance(after.positional, kinds) and after.positional is not before.positional


def _turn(runner: Runner, body: Script, world: World) -> tuple[list[World], list[World]]:
    """One round: the worlds that go on with the loop, and those that leave it."""
    return _by_flow(runner.run_list(body, [world]))


def _by_flow(worlds: list[World]) -> tuple[list[World], list[World]]:
    """The worlds that go on with a loop, and those that leave it."""
    staying: list[World] = []
    leaving: list[World] = []
    for one in worlds:
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


def _count(runner: Runner, rounds: int, node: CommandNode) -> bool:
    """Counts a round; False when there may be no further one."""
    runner.session.step(node.start, node.end)
    if rounds <= runner.session.limits.iterations:
        return True
    reached = LimitReached("iterations", runner.session.limits, node.span)
    runner.session.limit(reached, message("a loop is left here"))
    return False


def loop(runner: Runner, node: Loop, world: World) -> list[World]:
    """Runs `while` and `until`."""
    return _while(
        runner,
        node,
        world,
        lambda one: [
            (other, success != node.until)
            for other, success in condition(runner, node.condition, one)
        ],
    )


def _while(
    runner: Runner,
    node: Loop | ArithmeticFor,
    world: World,
    test: Callable[[World], list[tuple[World, bool]]],
    after: Callable[[World], bool] | None = None,
) -> list[World]:
    runner.begin(node)
    runner.session.enter(node.start, node.end)
    done: list[World] = []
    active = [world]
    rounds = 0
    waits = False
    ran = set[int]()
    while active:
        rounds += 1
        if not _count(runner, rounds, node):
            done.extend(active)
            break
        following: list[World] = []
        begun = len(runner.session.ran)
        starts = [one.copy() for one in active]
        for one in active:
            with runner.session.looping():
                going, gone = _run_round(runner, node, one, test, after)
            following.extend(going)
            done.extend(gone)
        active = runner.bounded(_changed_worlds(runner, node, following, starts, done), node)
        done = runner.bounded(done, node)
        idle = _idle(runner, begun, ran) and _waits(runner, node.body)
        many = len(active) > _APART or (idle and len(active) > 1)
        waits = waits or sum(one.flow is None for one in done) > _APART
        if active and (done or many) and rounds >= _most(counted=many or idle, waits=waits):
            done.extend([*starts, *active])
            active = []
            waits = True
        if waits:
            done = _widened_exits(runner, done)
    runner.session.leave()
    return done


def _idle(runner: Runner, begun: int, ran: set[int]) -> bool:
    """Whether a round, since when `begun` commands had run, has run none that no earlier one did.

    `ran` are those of earlier ones, to which its own are added.
    """
    now = runner.session.ran[begun:]
    idle = ran.issuperset(now)
    ran.update(now)
    return idle


def _most(*, counted: bool, waits: bool) -> int:
    """The rounds after which a loop is left."""
    if counted:
        return _COUNTED
    return _ROUNDS if waits else _PATIENCE


def _changed_worlds(
    runner: Runner,
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
        elif _leaves(runner, node.body):
            found = next((one for one in done if comes_back(world, one)), None)
            if found is not None:
                widened([found, world], "when the loop is left")
            elif all(one.flow is not None for one in done):
                done.append(world)
    return changed


def _widened_exits(runner: Runner, worlds: list[World]) -> list[World]:
    """Worlds that left a loop which waits for something: in which round is unknown."""
    runner.session.work(sum(len(world.variables) for world in worlds) // 16)
    return widened(worlds, "when the loop is left")


def _run_round(
    runner: Runner,
    node: Loop | ArithmeticFor,
    world: World,
    test: Callable[[World], list[tuple[World, bool]]],
    after: Callable[[World], bool] | None,
) -> tuple[list[World], list[World]]:
    """One round: the worlds that need another one, and those behind the loop."""
    following: list[World] = []
    done: list[World] = []
    before = world.copy()
    branches = test(world)
    decided = len(branches) == 1
    any_number = False
    for other, goes_on in branches:
        if other.flow is None and not goes_on:
            other.settle(0)
            done.append(other)
            continue
        left = other.flow is not None
        staying, leaving = _by_flow([other]) if left else _turn(runner, node.body, other)
        done.extend(leaving)
        for stayed in staying:
            # Where how often is unknown, once stands for any number of times.
            once = after is not None and not after(stayed)
            once = once or not decided or _shifted(before, stayed)
            any_number = any_number or once
            (done if once else following).append(stayed)
    if not any_number:
        return following, done
    options = _TAKES_OPTIONS.search(runner.session.text(node)) is not None
    return following, _mixed(runner, before, done, options=options)


def _mixed(runner: Runner, before: World, done: list[World], *, options: bool) -> list[World]:
    """The worlds behind a loop of any number of rounds, where one does not stand for all."""
    session = runner.session
    behind = [one for one in done if one.flow is None]
    session.mixable = session.mixable or len(behind) > 2
    many = options and len(behind) > _APART and session.needs("arguments")
    if not many and not session.needs("rounds"):
        return done
    left = [one for one in done if one.flow is not None]
    return [*left, *mixed(before, behind, every=not options or session.needs("every round"))]


def _leaves(runner: Runner, body: Script) -> bool:
    return _LEAVES.search(runner.session.text(body)) is not None


def run_for(runner: Runner, node: For, world: World) -> list[World]:
    """Runs `for name in words`."""
    runner.begin(node)
    if node.select:
        return _select(runner, node, world)
    values, several = _values(runner, node, world)
    before = world.copy() if several else world
    counted = counters(runner.session.text(node.body)) if several else ()
    runner.session.enter(node.start, node.end)
    done: list[World] = []
    active = [world]
    waited = last = False
    ran = set[int]()
    for rounds, value in enumerate(values, 1):
        if last and rounds < len(values):
            continue
        if not active or not _count(runner, rounds, node):
            break
        waits = rounds >= _COUNTED and _waits(runner, node.body)
        starts = [one.copy() for one in active] if waits else []
        begun = len(runner.session.ran)
        following = _for_value(runner, node, active, value, done)
        if counted and may_split(value):
            for one in (*following, *done):
                uncount(before, one, counted)
        active = runner.bounded(following, node)
        done = runner.bounded(done, node)
        idle = _idle(runner, begun, ran) and waits
        if (idle and len(active) > 1) or (waits and len(active) > _APART):
            done, active = [*done, *active], []
            waited = True
        elif idle and active and done and rounds < len(values) - 1:
            # What the rounds up to the last one change is unknown.
            active, last = _widened_exits(runner, [*active, *starts]), True
        if waited or len(done) > _APART:
            waited = True
            done = _widened_exits(runner, done)
    runner.session.leave()
    return runner.bounded([*active, *done], node)


def _for_value(
    runner: Runner, node: For, active: list[World], value: Value, done: list[World]
) -> list[World]:
    """One round for a value: the worlds that go on; those that leave are added to `done`."""
    following: list[World] = []
    for one in active:
        if not _takes(runner, node, one, value):
            done.append(one)
            continue
        with runner.session.looping():
            staying, leaving = _turn(runner, node.body, one)
        following.extend(staying)
        done.extend(leaving)
    return following


def _takes(runner: Runner, node: For, world: World, value: Value) -> bool:
    """Gives the variable of a loop its value; False where it is read-only, which ends the loop."""
    span = extent(value, value[0].span if value else node.name_span)
    try:
        assign_scalar(runner.session, world, node.name, value, AssignedAt(node.name_span, span))
    except ReadonlyFault:
        world.settle(1)
        runner.check(world)
        return False
    return True


def _values(runner: Runner, node: For, world: World) -> tuple[list[Value], bool]:
    """What a loop goes over, and whether that may be any number of others."""
    several = False
    if node.words is None:
        values = list(world.positional)
        several = isinstance(world.positional, UncountedArguments)
    else:
        values = []
        for word in node.words:
            found = fields(runner.session, world, word)
            several = several or may_be_several(world, word, found)
            values.extend(found)
            runner.session.spend_words(len(values))
    given = world.positional
    over = not values and _over_arguments(runner, node)
    if over and isinstance(given, OpenArguments) and runner.session.needs("arguments"):
        first = given.shifted + 1
        numbers = range(first, first + _rounds(runner, node.body))
        values = [hole("argument", "an argument", node.name_span, str(n)) for n in numbers]
    if not values:
        world.settle(0)
    return values, several


def _rounds(runner: Runner, body: Script) -> int:
    """How many arguments of the caller stand for all: one for each option that a loop may take."""
    options = _OPTIONS.findall(runner.session.text(body))
    return min(max(len(options), 1), _MOST_OPTIONS)


def _waits(runner: Runner, body: Script) -> bool:
    """Whether a loop sleeps until something is there."""
    text = runner.session.text(body)
    return _leaves(runner, body) and _SLEEPS.search(text) is not None


def _over_arguments(runner: Runner, node: For) -> bool:
    """Whether a loop goes over the script's arguments."""
    if node.words is None:
        return True
    texts = [runner.session.text(word) for word in node.words]
    return len(texts) == 1 and all_arguments(texts[0])


def _select(runner: Runner, node: For, world: World) -> list[World]:
    """Runs `select`: what is chosen is unknown, and how often; once stands for all."""
    name_span = node.name_span
    for word in node.words or []:
        fields(runner.session, world, word)
    choice = hole("command", "choice of select", name_span)
    never = world.copy()
    never.settle(0)
    assign_scalar(runner.session, world, node.name, choice, AssignedAt(name_span, name_span))
    with runner.session.looping():
        staying, leaving = _turn(runner, node.body, world)
    return runner.bounded([*staying, *leaving, never], node)


def arithmetic_for(runner: Runner, node: ArithmeticFor, world: World) -> list[World]:
    """Runs `for ((a; b; c))`."""
    session, span = runner.session, node.span

    def test(one: World) -> list[tuple[World, bool]]:
        if not node.condition.parts:
            return [(one, True)]
        try:
            value = evaluate(session, one, node.condition, span)
        except CommandFault:
            return [(one, False)]
        except Unknown:
            other = one.copy()
            text = shorten(session.text(node.condition))
            one.suppose(f"{UNSTABLE}({text})", True, f"({text}) is true")
            other.suppose(f"{UNSTABLE}({text})", False, f"({text}) is false")
            return [(one, True), (other, False)]
        return [(one, value != 0)]

    if not _calculates(session, world, node.before, span):
        runner.check(world)
        return [world]
    return _while(
        runner, node, world, test, lambda one: _calculates(session, one, node.after, span)
    )


def _calculates(session: Session, world: World, node: WordNode, span: Span) -> bool:
    """Carries out an expression for what it sets; False where it is wrong."""
    try:
        evaluate(session, world, node, span)
    except CommandFault:
        world.settle(1)
        return False
    except Unknown:
        pass
    return True
