"""`rlbot doctor`: what is in force and from where, and what is missing, with its remedy."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from bot import __version__
from bot.base.config import Config, ConfigFile, read_config
from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.commands.arguments import add_color, add_config
from bot.commands.configuration import find_config, repository_root
from bot.commands.output import write
from bot.commands.result import wants_color
from bot.commands.terminal import current

SUMMARY = "configuration, tokens, reachability: each with its remedy"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_config(parser)
    parser.add_argument("--offline", action="store_true", help="ask no server")
    parser.add_argument(
        "--lang", choices=("en", "zh"), help="language of results, as the other commands take it"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print the result"
    )
    add_color(parser)
    parser.add_argument("--quiet", action="store_true", help="print nothing when nothing is wrong")


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.check.levels import rule_levels
    from bot.doctor._support.base import CheckAnswer, Surroundings
    from bot.doctor._support.registry import exit_status, run_checks
    from bot.doctor._support.settings import effective_settings
    from bot.doctor._support.text import to_json, to_text

    given, file = ConfigFile(Config()), None
    configuration = CheckAnswer(
        "configuration", "ok", message("There is no .rlbot.yml; the defaults hold.")
    )
    try:
        found = find_config(arguments.config)
        if found:
            file = found[0].as_posix()
            read = read_config(found[1], file)
            rule_levels(read.config)
            given = read
            configuration = CheckAnswer(
                "configuration", "ok", message("{file} is valid.", file=file)
            )
    except UserError as error:
        if arguments.config and file is None:
            raise
        remedy = message(
            "Correct the file; schemas/config-v1.schema.json describes it. The other "
            "checks went on with the defaults."
        )
        configuration = CheckAnswer("configuration", "wrong", sentence_of(error), remedy)
    around = Surroundings(
        folder=Path.cwd(),
        home=Path.home(),
        environment=os.environ,
        config=given.config,
        stated=given.lines.keys(),
        root=repository_root(),
        offline=arguments.offline,
    )
    settings = list(effective_settings(given, file, arguments.lang, os.environ))
    answers = [configuration, *run_checks(around)]
    wrong = {answer.subject for answer in answers if answer.state == "wrong"}
    status = 2 if wrong & {"configuration", "framework"} else exit_status(answers)
    if status or not arguments.quiet:
        if arguments.format == "json":
            write(to_json(f"rlbot {__version__}", settings, answers, status))
        else:
            color = wants_color(arguments.color)
            write(to_text(settings, answers, language=current(), color=color))
    return status
