"""What a command prints: its result on standard output, notices beside it.

A stream may be closed, full, or read by nobody any more; none of it is a fault of rlbot's.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from bot.base.errors import UserError, system_reason
from bot.base.messages import Message, message
from bot.base.regex import regex
from bot.commands.terminal import in_terminal
from bot.render.escape import terminal

READER_GONE: Final = 141
"""The status of a process that SIGPIPE ended, as a shell has it."""
_COMMAND: Final = regex(r"^[^\S\n]*::|##\[", re.MULTILINE)
"""What the runner of GitHub Actions may take for a command in a log."""


def open_streams() -> None:
    """Put something in the place of standard streams that are closed.

    Otherwise the next file that is opened would be one, and would get what is printed. Reading and
    writing the streams of commands fails; nobody can be told what a notice says.
    """
    for number, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # takes the lowest number that is free: this one
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def write(text: str, *, commands: bool = False) -> None:
    """Print text that may hold any character, whatever the terminal's encoding is.

    A message is printed in the terminal's language. In a log of GitHub Actions nothing in it is
    a workflow command, unless it is made of `commands`. Raises what `write_bytes` does.
    """
    text = in_terminal(text) if isinstance(text, Message) else text
    if not text:
        return
    if not text.endswith("\n"):
        text += "\n"
    if not commands and _COMMAND.search(text) and in_workflow_log():
        token = os.urandom(16).hex()
        text = f"::stop-commands::{token}\n{text}::{token}::\n"
    write_bytes(text.encode("utf-8", "backslashreplace"))


def write_message(template: str, /, **values: object) -> None:
    """Print a sentence in the terminal's language, made as of `message`; raises as `write`."""
    write(message(template, **values))


def write_bytes(data: bytes) -> None:
    """Print bytes as they are; raises what `printing` does."""
    with printing():
        if data:  # a device may refuse nothing at all, too
            sys.stdout.buffer.write(data)
        sys.stdout.flush()


@contextmanager
def printing() -> Iterator[None]:
    """Turns what the system says of standard output, written within, into an end of the command.

    Raises UserError when it cannot be written, SystemExit when nobody reads it any more.
    """
    try:
        yield
    except OSError as error:
        _drop(sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise SystemExit(READER_GONE) from None
        raise UserError(
            "The result could not be printed: {why}.", why=system_reason(error)
        ) from None


def write_beside(text: str) -> None:
    """Print on standard error; where that cannot be written, nobody can be told."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _drop(sys.stderr.fileno())


def _drop(number: int) -> None:
    """Let what is left in a stream's buffer go nowhere: Python writes it once more at its end."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def read_standard_input() -> bytes:
    """All of standard input; raises UserError when it cannot be read."""
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UserError("Standard input cannot be read: {why}.", why=system_reason(error)) from None


def in_workflow_log() -> bool:
    """Whether what is printed goes to a log of GitHub Actions, and not to a file."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return False
    try:
        return not stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def notice(sentence: str, /, **values: object) -> None:
    """Print one line beside the result, on standard error.

    With `values` the sentence is their template, as of `message`.
    """
    text = message(sentence, **values) if values else sentence
    write_beside(f"rlbot: {terminal(in_terminal(text))}\n")
