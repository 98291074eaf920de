"""Texts that are not the script's own: files that it runs, the text of `eval` and `bash -c`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.shell.limits import LimitReached
from bot.shell.parse.parser import ScriptParser
from bot.shell.parse.places import RunFile, shift
from bot.shell.parse.syntax import Script
from bot.shell.pieces import Value
from bot.shell.run.runner import Runner
from bot.shell.source import Span
from bot.shell.words import Piece, Problem, Word
from bot.shell.world.session import Session, shorten
from bot.shell.world.stand_ins import SHOWN, replace_stand_ins, with_stand_ins
from bot.shell.world.state import World
from bot.shell.world.written import text_written

_NESTED = 8
"""Files inside each other: far more than scripts have, so that one that includes itself ends."""
_REPEATED = 2
"""How often a file may be inside itself."""


@dataclass(frozen=True, slots=True)
class InnerText:
    """A text that is run."""

    text: str
    origins: Sequence[tuple[str, Span, bool]]
    """Where it was written: its parts, their places, and whether character by character."""
    span: Span
    """The command that runs it."""
    name: str
    """As messages name it."""
    file: Value | None = None
    """The path of the file that it is."""
    path: str = ""
    """The same below the root of its tree."""
    unknown: Mapping[str, Piece] = field(default_factory=dict)
    """The characters of the text that stand for unknown parts."""


@dataclass(frozen=True, slots=True)
class ParsedText:
    """The lines of a text, and what is wrong with it."""

    lines: Sequence[Script]
    problems: Sequence[Problem]
    certain: bool = True
    """False where it depends on an unknown part which commands the text has; it has no lines."""

    def report(self, session: Session, worlds: Sequence[World]) -> None:
        """Reports what is wrong with the text, whose status is then 2."""
        for problem in self.problems:
            session.report(problem)
        if self.problems:
            for world in worlds:
                world.settle(2)


def value_text(value: Value, span: Span, name: str) -> InnerText | None:
    """The text that a value is; None where too little of it is known."""
    found = with_stand_ins(value)
    if found is None:
        return None
    text, unknown = found
    origins = [
        (p.text, p.span, p.literal) if isinstance(p.text, str) else (SHOWN, p.span, False)
        for p in value
    ]
    return InnerText(text, origins, span, name, unknown=unknown)


def file_text(
    session: Session, word: Word, world: World, span: Span, *, beside: bool = False
) -> InnerText | None:
    """The file that a word names, or that the script wrote there; None where it is unknown.

    `beside` asks for the one beside the script, too, where the root of the tree has none.
    """
    name = shown(session, word)
    own = text_written(session, world, word.pieces)
    if own is not None and len(session.running) < _NESTED:
        return value_text(own, span, name)
    path = session.tree.path(world, word.pieces) or session.tree.below_unset(word.pieces)
    try:
        path = path or session.tree.elsewhere(world, word.pieces, span)
        if path is None:
            return None
        if len(session.running) >= _NESTED or session.running.count(path) >= _REPEATED:
            raise LimitReached("files", session.limits, span)
        text = session.tree.text(path, span)
        near = session.tree.beside(world, word.pieces) if beside and text is None else None
        if text is None and (near is None or session.tree.lacks(near, span)):
            near = session.tree.around(world, word.pieces, span)
        if near is not None and session.running.count(near) < _REPEATED:
            path, text = near, session.tree.text(near, span)
    except LimitReached as reached:
        session.limit(reached, message("{name} is not read", name=name))
        return None
    if text is None:
        return None
    text = text.replace("\r\n", "\n")
    return InnerText(text, [(text, span, False)], span, name, word.pieces, path)


def shown(session: Session, word: Word) -> str:
    """A file as messages name it."""
    if word.complete:
        return shorten(word.text)
    return shorten(session.text(word.span)).replace('"', "")


def parsed(session: Session, inner: InnerText) -> ParsedText:
    """Parses a text, once for all that run it by the same command of the script.

    Raises:
        LimitReached: too many parts in all the texts together.

    """
    session.spend(0, 64)
    if inner.unknown:
        return _parse(session, inner)
    key: object = (*inner.origins, inner.span)
    if inner.file is not None:
        # Whatever is in a file stands, in the script, where the command stands that runs it.
        path = [piece.text for piece in inner.file]
        key = (*path, inner.text, session.places.outer(inner.span))
    again = session.texts.get((inner.name, key))
    if again is None:
        again = session.texts[inner.name, key] = _parse(session, inner)
    return again


def _parse(session: Session, inner: InnerText) -> ParsedText:
    text, span = inner.text, inner.span
    session.work(len(text) * 8)
    base = session.places.allocate(inner.origins)
    parser = ScriptParser(text, session.limits, session.places, base)
    parser.cursor.parts = session.parsed
    lines, problems = parser.lines()
    session.parsed = parser.cursor.parts
    if any(problem.kind == "limit" for problem in problems):
        raise LimitReached("parts", session.limits, span)
    shift(lines, base, len(text))
    if inner.unknown and (problems or not replace_stand_ins(lines, text, inner.unknown)):
        return ParsedText((), (), certain=False)
    if inner.file is not None:
        session.places.files.append(RunFile(base, text, inner.file, inner.path))
    return ParsedText(
        lines,
        [
            Problem(
                p.kind, message("in {name}: {problem}", name=inner.name, problem=p.message), span
            )
            for p in problems
        ],
    )


def run_lines(runner: Runner, lines: Sequence[Script], worlds: list[World]) -> list[World]:
    """Runs the lines of a file; the worlds in which it ended early are among the result."""
    ended: list[World] = []
    for line in lines:
        going: list[World] = []
        for world in runner.run_list(line, worlds):
            if world.flow is not None and world.flow.kind != "discard":
                ended.append(world)
            else:
                world.flow = None
                going.append(world)
        worlds = going
        if not worlds:
            break
    return [*ended, *worlds]
