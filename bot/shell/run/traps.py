"""What `trap` has a shell run when it ends; what it runs on a signal or a failure is not read."""

from __future__ import annotations

from collections.abc import Sequence

from bot.base.digits import is_digits
from bot.shell.pieces import known
from bot.shell.run.runner import Runner
from bot.shell.run.sources import known_text, run_here
from bot.shell.source import Span
from bot.shell.words import Word
from bot.shell.world.session import Session, hole
from bot.shell.world.state import Flow, World

_AT_EXIT = frozenset({"EXIT", "0"})
_OFTEN = frozenset({"DEBUG", "RETURN"})
"""What comes without a signal or a failure."""


def set_trap(session: Session, world: World, words: Sequence[Word], span: Span) -> None:
    """Carries out `trap`."""
    world.settle(0)
    texts = [known(word.pieces) or "" for word in words]
    if texts[:1] == ["--"]:
        words, texts = words[1:], texts[1:]
    if not words or texts[0] in ("-p", "-P", "-l"):
        if world.output is not None:
            world.output.extend(hole("command", "output of trap", span))
        return
    resets = len(words) == 1 or is_digits(texts[0])
    signals = {text.upper() for text in (texts if resets else texts[1:])}
    action = () if resets or texts[0] == "-" else words[0].pieces
    if signals & _AT_EXIT:
        script = known_text(session, action, span, "trap") if action else None
        world.exit_trap = None if script is None else script.lines
        if script is not None:
            script.report(session, ())
    for name in sorted(signals & _OFTEN if action else ()):
        session.unsupported(f"what trap runs on {name} is not followed", span)


def run_exit_trap(runner: Runner, world: World) -> list[World]:
    """Runs what the shell runs as it ends, which leaves its status unless it exits itself."""
    lines, world.exit_trap = world.exit_trap, None
    if lines is None:
        return [world]
    status, likely, question = world.status, world.likely, world.question
    world.flow = None
    worlds = run_here(runner, lines, world)
    for one in worlds:
        if one.flow is None or one.flow.kind != "exit":
            one.settle(status, likely, question)
        one.flow = Flow("exit")
        one.exit_trap = None
    return worlds


def run_exit_traps(runner: Runner, worlds: Sequence[World]) -> list[World]:
    """Runs it in each world in which a shell has ended."""
    return [left for world in worlds for left in run_exit_trap(runner, world)]
