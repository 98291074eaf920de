"""Texts that run in the shell itself: `source file` and `eval`."""

from __future__ import annotations

from collections.abc import Sequence

from bot.base.messages import message
from bot.shell.parse.syntax import Script
from bot.shell.pieces import Value, first_hole, joined, known
from bot.shell.run.inner_texts import ParsedText, file_text, parsed, run_lines, shown, value_text
from bot.shell.run.runner import Runner
from bot.shell.source import Span
from bot.shell.words import Word
from bot.shell.world.session import Session
from bot.shell.world.state import World, arguments_of


def run_eval(runner: Runner, words: Sequence[Word], world: World, span: Span) -> list[World]:
    """Runs the words of `eval` as a script."""
    if words and known(words[0].pieces) == "--":
        words = words[1:]
    session = runner.session
    script = known_text(session, joined(words), span, "eval")
    if script is None:
        world.settle(None)
        return [world]
    session.enter(span.start, span.end)
    if not any(line.items for line in script.lines):
        world.settle(0)
    worlds = run_here(runner, script.lines, world)
    session.leave()
    script.report(session, worlds)
    return worlds


def known_text(session: Session, value: Value, span: Span, name: str) -> ParsedText | None:
    """A text that the shell itself runs; None, which is reported, where it is not known."""
    text = value_text(value, span, name)
    script = parsed(session, text) if text is not None else None
    if script is not None and script.certain:
        return script
    found = first_hole(value)
    assert found is not None  # noqa: S101 - a value that is not known has a hole
    session.unsupported(
        message("{name} of a text that is not known ({what})", name=name, what=found.reason), span
    )
    return None


def run_here(runner: Runner, lines: Sequence[Script], world: World) -> list[World]:
    """Runs lines in the shell itself."""
    worlds = [world]
    for line in lines:
        worlds = runner.run_list(line, worlds)
        for one in worlds:
            if one.flow is not None and one.flow.kind == "discard":
                one.flow = None
    return worlds


def run_source(runner: Runner, words: Sequence[Word], world: World, span: Span) -> list[World]:
    """Runs a file of the tree in the shell itself; what an unknown file sets is unknown."""
    session = runner.session
    if words and known(words[0].pieces) == "--":
        words = words[1:]
    if not words:
        world.settle(2)
        return [world]
    text = file_text(session, words[0], world, span, beside=True)
    script = parsed(session, text) if text is not None else None
    if text is None or script is None or not script.certain:
        world.settle(None)
        name = shown(session, words[0])
        session.unread[name] = None
        world.sourced = world.sourced or f"source {name}"
        return [world]
    session.enter(span.start, span.end)
    arguments = arguments_of(words[1:])
    outer, sources = world.positional, world.sources
    world.positional = arguments or outer
    world.sources = (*sources, words[0].pieces)
    if not any(line.items for line in script.lines):
        world.settle(0)
    session.running.append(text.path)
    worlds = run_lines(runner, script.lines, [world])
    session.running.pop()
    session.leave()
    for one in worlds:
        one.sources = sources
        left = one.positional
        if arguments and left == arguments[len(arguments) - len(left) :]:
            # Unless `set` was used in it, the file has only had them on loan.
            one.positional = outer
        if one.flow is not None and one.flow.kind == "return":
            one.flow = None
    script.report(session, worlds)
    return worlds
