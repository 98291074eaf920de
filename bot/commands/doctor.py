"""`rlbot doctor`: what is in force and from where, and what is missing, with its remedy."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from bot.base.errors import UserError
from bot.commands.arguments import find_config, wants_color, write

SUMMARY = "configuration, tokens, reachability: each with its remedy"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="configuration (default: .rlbot.yml here or above, in the same repository)",
    )
    parser.add_argument("--offline", action="store_true", help="ask no server")
    parser.add_argument(
        "--lang", choices=("en", "zh"), help="language of results, as the other commands take it"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print the result"
    )
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colour in text output"
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing when nothing is wrong")


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from dataclasses import asdict

    from bot import __version__
    from bot.base.config import Config, Given, read_config
    from bot.doctor._support.base import Answer, Surroundings
    from bot.doctor._support.examination import Examination, examine, status
    from bot.doctor._support.text import to_json, to_text

    given, origin, wrong = Given(Config()), None, None
    try:
        found = find_config(arguments.config)
        if found:
            origin = found[0].as_posix()
            given = read_config(found[1], origin)
    except UserError as error:
        if arguments.config and origin is None:
            raise
        wrong = Answer(
            subject="configuration",
            state="wrong",
            said=str(error),
            remedy="Correct the file; schemas/config-v1.schema.json describes it. The other "
            "checks went on with the defaults.",
        )
    around = Surroundings(
        folder=Path.cwd(),
        home=Path.home(),
        environment=os.environ,
        config=given.config,
        offline=arguments.offline,
    )
    options = {"language": arguments.lang} if arguments.lang else {}
    result = examine(around, given, origin, options)
    if wrong is None:
        said = f"{origin} is valid." if origin else "There is no .rlbot.yml; the defaults hold."
        wrong = Answer(subject="configuration", state="ok", said=said)
    result = Examination(settings=result.settings, answers=(wrong, *result.answers))
    code = 2 if wrong.state == "wrong" else status(result)
    if arguments.quiet and code == 0:
        return code
    settings = [asdict(setting) for setting in result.settings]
    answers = [asdict(answer) for answer in result.answers]
    if arguments.format == "json":
        write(to_json(f"rlbot {__version__}", settings, answers, code))
    else:
        write(to_text(settings, answers, color=wants_color(arguments.color)))
    return code
