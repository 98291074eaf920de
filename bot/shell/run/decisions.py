"""Conditions with an unknown result: the script goes on in two worlds, one for each result."""

from __future__ import annotations

from bot.base.fast_dataclass import dataclass
from bot.shell.parse.syntax import AndOr, CommandNode, Pipeline, Script, Simple
from bot.shell.run.runner import Runner
from bot.shell.world.session import Session, shorten
from bot.shell.world.state import World
from bot.shell.world.ways import UNSTABLE


@dataclass(frozen=True, slots=True)
class Alternatives:
    """An undecided condition."""

    question: str
    """What has to be known; "" when the answer may change."""
    positive: bool
    """Whether the condition holds when the answer to the question is yes."""
    yes: str
    """The assumption that it holds, in words."""
    no: str


def split(session: Session, world: World, alternatives: Alternatives) -> list[tuple[World, bool]]:
    """The world in which an undecided condition holds, and the one in which it does not."""
    session.spend(0, world.weight())
    other = world.copy()
    world.settle(0)
    other.settle(1)
    positive = alternatives.positive
    # What may change is not asked again; the answer tells the two ways apart.
    question = alternatives.question or f"{UNSTABLE}{alternatives.yes}"
    world.suppose(question, positive, alternatives.yes)
    other.suppose(question, not positive, alternatives.no)
    return [(world, True), (other, False)]


def decide(session: Session, world: World, node: CommandNode | Script) -> list[tuple[World, bool]]:
    """The worlds in which the command that has just run succeeded, and failed."""
    if world.status is not None:
        return [(world, world.status == 0)]
    question = world.question.lstrip("!")
    positive = (len(world.question) - len(question)) % 2 == 0
    answer = world.answer_to(question) if question else None
    if answer is not None:
        success = answer == positive
        world.settle(0 if success else 1)
        return [(world, success)]
    last = node
    while isinstance(last, (Script, AndOr)):
        last = last.items[-1].command if isinstance(last, Script) else last.rest[-1][1]
    span = last.command_span if isinstance(last, Simple) else last.span
    text = session.text(span)
    plain = text.lstrip("! ")
    tested = plain.startswith(("[", "((", "test "))
    yes, no = ("is true", "is false") if tested else ("succeeds", "fails")
    if isinstance(last, Pipeline) and last.negated and text.startswith("!"):
        text, yes, no = plain, no, yes
    text = shorten(text)
    return split(
        session, world, Alternatives(question, positive, f"`{text}` {yes}", f"`{text}` {no}")
    )


def condition(runner: Runner, script: Script, world: World) -> list[tuple[World, bool]]:
    """Runs a condition; worlds that leave the construct count as failed."""
    with runner.guarding():
        worlds = runner.run_list(script, [world])
    result: list[tuple[World, bool]] = []
    for one in worlds:
        if one.flow is not None:
            result.append((one, False))
        else:
            result.extend(decide(runner.session, one, script))
    return result
