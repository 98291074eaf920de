"""`--args`: the arguments of a script or a program, which nobody else can know."""

from __future__ import annotations

import argparse
import shlex

from bot.base.errors import UserError


def add_script_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `--args`."""
    parser.add_argument(
        "--args",
        metavar="WORDS",
        default=None,
        help=(
            "the script's own arguments, or the program's, in one word as a shell would read them "
            '(without it they are unknown, and "$@" is nothing)'
        ),
    )


def script_words(arguments: argparse.Namespace) -> tuple[str, ...] | None:
    """The words of `--args`; raises UserError where they are none."""
    if arguments.args is None:
        return None
    try:
        return tuple(shlex.split(arguments.args))
    except ValueError as error:
        raise UserError("--args cannot be read as words: {why}.", why=str(error).lower()) from None
