"""A Python program that makes TRL's settings, read as the command `python3 PROGRAM`.

What it makes of them is read from its syntax tree with the script's other files of settings
(`with_settings`); the program itself is never run. A notebook is such a program, and its cells may
hold commands as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from bot.base.messages import message
from bot.frameworks.python.notebook import is_notebook, read_export, read_notebook
from bot.script.recipe import comments_of, given_word, implied_command
from bot.shell.source import Source, Span
from bot.shell.words import Problem, Reading


def read_program(
    data: bytes,
    path: str,
    tree_path: str,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Reading:
    """The program as a reading with one command, which stands nowhere in its text.

    `path` is the one of messages, `tree_path` the one from the root of its repository; the
    arguments and variables are those that its caller gives it.
    """
    text = data.decode("utf-8-sig", "replace")
    command = implied_command(("python3", tree_path, *arguments), (), text)
    variables = {name: given_word(value) for name, value in (environment or {}).items()}
    command = replace(command, environment=variables)
    return Reading(Source(path, text), (command,), (), comments_of(text), ())


def read_cells(
    data: bytes, path: str, tree_path: str, read_shell: Callable[[bytes], Reading]
) -> Reading:
    """A notebook's commands, and the one that its Python stands for where that makes settings.

    So of one that was saved as Python.

    Offsets are those of a text in which only the code of cells stands, each line where the file has
    it; no edit is made by them.
    """
    from bot.frameworks.programs.settings_written import makes_settings

    found = read_notebook(data) if is_notebook(path) else read_export(data)
    if found is None:
        why = message("this is no notebook of Jupyter's (nbformat 4), or more than 16 MiB")
        problem = Problem("syntax", why, Span(0, 0))
        return Reading(Source(path, ""), (), (), (), (problem,))
    reading = read_shell(found.shell.encode())
    commands = reading.commands
    if makes_settings(found.python.encode()):
        commands = (*commands, implied_command(("python3", tree_path), (), found.text))
    source = Source(path, found.text, cells=found.cells, exact=False)
    return replace(reading, source=source, commands=commands, comments=comments_of(found.text))
