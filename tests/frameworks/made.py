"""Words and readings made by hand, so that these tests need no shell."""

from __future__ import annotations

from bot.frameworks.hydra.overrides import read_override
from bot.frameworks.settings.setting import Setting
from bot.shell.source import Source, Span
from bot.shell.words import Command, Hole, Piece, Reading, Word


def word(text: str, start: int = 0) -> Word:
    """A literal word that stands at `start`."""
    span = Span(start, start + len(text))
    return Word(pieces=(Piece(text, span),) if text else (), span=span)


def holed(*parts: str | None, start: int = 0) -> Word:
    """A word of literal parts and, for each None, a hole written as `$X`."""
    pieces: list[Piece] = []
    at = start
    for part in parts:
        if part is None:
            pieces.append(Piece(Hole("unset", "X is not set", "X"), Span(at, at + 2)))
            at += 2
        else:
            pieces.append(Piece(part, Span(at, at + len(part))))
            at += len(part)
    return Word(pieces=tuple(pieces), span=Span(start, at))


def command(text: str) -> Command:
    """A command of literal words separated by single blanks."""
    words: list[Word] = []
    at = 0
    for part in text.split(" "):
        words.append(word(part, at))
        at += len(part) + 1
    return Command(argv=tuple(words), span=Span(0, len(text)), environment={})


def reading(*lines: str) -> Reading:
    """A script of such commands."""
    return Reading(
        source=Source("made.sh", "\n".join(lines)),
        commands=tuple(command(line) for line in lines),
        variables=(),
        comments=(),
        problems=(),
    )


def setting(text: str) -> Setting:
    """An override that Hydra can read."""
    found = read_override(word(text))
    assert isinstance(found, Setting), found
    return found
