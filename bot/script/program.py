"""A Python program that makes TRL's settings, read as the command `python3 PROGRAM`.

What it makes of them is read from its syntax tree with the script's other files of settings
(`with_settings`); the program itself is never run.
"""

from __future__ import annotations

from bot.script.recipe import comments_of, implied_command
from bot.shell.source import Source
from bot.shell.words import Reading


def read_program(data: bytes, path: str, tree_path: str) -> Reading:
    """The program as a reading with one command, which stands nowhere in its text.

    `path` is the one of messages, `tree_path` the one from the root of its repository.
    """
    text = data.decode("utf-8-sig", "replace")
    command = implied_command(("python3", tree_path), (), text)
    return Reading(Source(path, text), (command,), (), comments_of(text), ())
