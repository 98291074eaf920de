"""`rlbot resolve PATH…`: what scripts would launch, word for word, without running them."""

from __future__ import annotations

import argparse
from functools import partial

from bot.commands.arguments import add_form
from bot.commands.inputs import add_paths, each_script, scripts_with_options
from bot.commands.output import write
from bot.commands.result import finish
from bot.commands.runs import add_offline
from bot.commands.script_arguments import add_script_arguments, script_words
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
    add_script_arguments(parser)
    add_form(parser, ("text", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.check.script import make_report, resolve_script

    scripts, options, unchecked = scripts_with_options(
        arguments,
        clean_environment=arguments.clean_env,
        script_arguments=script_words(arguments),
    )
    reports = list(each_script(partial(resolve_script, options=options), scripts, unchecked))
    report = make_report(reports, unchecked=unchecked, language=options.config.language)
    if arguments.format == "text":
        from bot.render.launches import launches
        from bot.report import exit_status

        write(launches(report))
        return exit_status(report)
    return finish(report, arguments)
