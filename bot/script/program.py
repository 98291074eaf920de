"""A Python program that makes TRL's settings, read as the command `python3 PROGRAM`.

What it makes of them is read from its syntax tree with the script's other files of settings
(`with_settings`); the program itself is never run.
"""

from __future__ import annotations

from bot.script.recipe import comments_of
from bot.shell.source import Source, Span
from bot.shell.words import Command, Piece, Reading, Word


def read_program(data: bytes, path: str, tree_path: str) -> Reading:
    """The program as a reading with one command, which stands nowhere in its text.

    `path` is the one of messages, `tree_path` the one from the root of its repository.
    """
    text = data.decode("utf-8-sig", "replace")
    start = Span(0, 0)
    words = [Word((Piece(word, start, literal=False),), start) for word in ("python3", tree_path)]
    command = Command(tuple(words), Span(0, len(text)), {})
    return Reading(Source(path, text), (command,), (), comments_of(text), ())
