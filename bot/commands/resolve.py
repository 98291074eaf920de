"""`rlbot resolve PATH…`: what scripts would launch, word for word, without running them."""

from __future__ import annotations

import argparse
import shlex
from functools import partial

from bot.base.errors import UserError
from bot.base.messages import message
from bot.commands.arguments import add_form, finish
from bot.commands.inputs import add_paths, each_script, scripts_with_options
from bot.commands.removed import add_removed, add_removed_of_checks
from bot.commands.runs import add_offline
from bot.commands.tree import add_root

SUMMARY = "what scripts would launch: words, settings, and where each was written"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    add_root(parser)
    add_offline(parser)
    parser.add_argument(
        "--clean-env",
        action="store_true",
        help="the caller sets nothing else, as under `env -i`: what is not set is empty",
    )
    parser.add_argument(
        "--args",
        metavar="WORDS",
        default=None,
        help=(
            "the script's own arguments, in one word as a shell would read them (without it they "
            'are unknown, and "$@" is nothing)'
        ),
    )
    add_form(parser, ("text", "json"))
    add_removed_of_checks(parser)
    add_removed(parser, {"quiet": message("the exit status says whether something is wrong")})


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.check.script import make_report, resolve_script

    scripts, options, unchecked = scripts_with_options(
        arguments,
        clean_environment=arguments.clean_env,
        script_arguments=_words(arguments.args),
    )
    reports = list(each_script(partial(resolve_script, options=options), scripts, unchecked))
    report = make_report(reports, unchecked=unchecked, language=options.config.language)
    if arguments.format == "text":
        from bot.commands.output import write
        from bot.render.launches import launches
        from bot.report import exit_status

        write(launches(report))
        return exit_status(report)
    return finish(report, arguments)


def _words(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UserError("--args cannot be read as words: {why}.", why=str(error).lower()) from None
