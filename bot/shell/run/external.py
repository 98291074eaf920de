"""Commands that are no builtins: they are recorded, and a few are carried out."""

from __future__ import annotations

from collections.abc import Sequence

from bot.shell.parse.syntax import Simple
from bot.shell.pieces import Value, known
from bot.shell.run.child_shells import run_child
from bot.shell.run.probes import is_probe, is_silent, question_of
from bot.shell.run.pure import PURE, pure
from bot.shell.run.runner import Runner
from bot.shell.words import Command, Variable, Word
from bot.shell.world.session import hole, shorten
from bot.shell.world.state import Flow, OpenArguments, World, all_arguments
from bot.shell.world.written import files_named, forget, keep

_WRITERS = frozenset(
    {"cp", "mv", "rm", "ln", "tee", "sed", "touch", "install", "truncate", "wget", "curl", "git"}
)
"""Commands that change the files that they name."""
_LONGEST = len('"${@}"')
"""Characters of a word that stands for all arguments."""


def run_external(
    runner: Runner, node: Simple, world: World, words: list[Word], prefix: Sequence[Variable] = ()
) -> list[World]:
    """Records a command that is no builtin; the scripts that it starts are read too."""
    session = runner.session
    environment = world.environment(session)
    span = node.span
    program = known(words[0].pieces)
    base = (program or "").rsplit("/", 1)[-1]
    value: Value | None = None
    if world.output is not None and base in PURE:
        value = pure(session, world, base, words[1:], span)
    status = None if value is None else 0
    if not (session.inner and base in PURE):
        session.spend(0, 5 * len(words))
        session.record(
            Command(
                argv=tuple(words),
                span=node.command_span,
                environment=environment,
                prefix=tuple(prefix),
                piped_to=world.piped_to,
                pipefail="pipefail" in world.options,
                folder=_folder(world),
                status_read=runner.guarded,
                files=files_named(session, world, words),
                hands_on=isinstance(world.positional, OpenArguments)
                and any(
                    all_arguments(session.text(word))
                    for word in node.words
                    if word.end - word.start <= _LONGEST
                ),
            ),
            world.ways,
        )
    _writes(runner, base, words[1:], world)
    if not run_child(runner, words, world, span):
        if world.output is not None:
            if value is None and is_silent(words):
                value = ()
            elif value is None:
                text = shorten(session.text(node))
                value = hole("command", f"output of {text}", span)
            world.output.extend(value)
        world.settle(status, not is_probe(words), question_of(words))
    if program == "exec":
        world.flow = Flow("exit")
        world.exit_trap = None
    return [world]


def _folder(world: World) -> Word | None:
    place = world.variables.get("PWD")
    if place is None or place.value is None:
        return None
    return Word(place.value, place.value_span)


def _writes(runner: Runner, base: str, words: list[Word], world: World) -> None:
    """Notes the files that a command may change."""
    session = runner.session
    if base in _WRITERS:
        for word in words:
            session.tree.wrote(world, word.pieces)
            forget(session, world, word.pieces)
    if base == "tee" and len(words) == 1 and world.stdin is not None:
        keep(session, world, words[0].pieces, world.stdin)
