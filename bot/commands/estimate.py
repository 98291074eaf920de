"""`rlbot estimate SCRIPT…`: what each stage takes of each GPU's memory, before anything runs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.base.errors import UserError
from bot.commands.arguments import add_form, add_gpus, add_quiet, note_gpus
from bot.commands.inputs import add_paths, each_script, scripts_with_options
from bot.commands.output import notice, write
from bot.commands.result import finish
from bot.commands.runs import add_offline, run_path
from bot.commands.script_arguments import add_script_arguments, script_words
from bot.commands.tree import add_root

if TYPE_CHECKING:
    from bot.check.request import CheckOptions
    from bot.memory.readers.lengths import Measured
    from bot.report import Report, ScriptReport

_LENGTHS = {
    "--prompt-tokens": "prompt_mean",
    "--response-tokens": "response_mean",
    "--longest-tokens": "longest",
    "--image-tokens": "image_mean",
}
"""Option to what it says of the data."""
SUMMARY = "the memory budget of scripts, stage by stage, against the device"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    add_root(parser)
    add_offline(parser)
    add_gpus(parser)
    add_script_arguments(parser)
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        dest="settings",
        action="append",
        default=[],
        help="a setting in the place of the script's own: what would it take then?",
    )
    parser.add_argument(
        "--model",
        metavar="NAME",
        help="a model on Hugging Face of the shape that the script's own has, where its path does "
        "not say which",
    )
    parser.add_argument(
        "--run", metavar="PATH", help="a run's folder or file: its measured lengths are used"
    )
    parser.add_argument(
        "--prompt-tokens",
        metavar="N",
        type=float,
        help="mean length of a prompt of your data, where there is no run",
    )
    parser.add_argument(
        "--response-tokens",
        metavar="N",
        type=float,
        help="mean length of a response; of a whole sample where none is generated",
    )
    parser.add_argument(
        "--longest-tokens",
        metavar="N",
        type=float,
        help="length of the longest prompt with its response, or sample, of your data (default: "
        "what the settings allow)",
    )
    parser.add_argument(
        "--image-tokens",
        metavar="N",
        type=float,
        help="mean number of a prompt's tokens (a sample's) that are of images; 0 without any",
    )
    parser.add_argument(
        "--host-memory",
        metavar="GIB",
        type=float,
        help="memory of each host: says whether what is offloaded fits it",
    )
    add_form(parser, ("text", "json", "markdown", "svg"))
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 1 for an impossible launch, 3 without an estimate."""
    from bot.check.estimate import estimate_script
    from bot.check.hub import HubConfigs
    from bot.check.script import make_report
    from bot.check.translate import in_language
    from bot.report import exit_status

    host = arguments.host_memory
    if host is not None and not 0 < host < 1e6:
        raise UserError(
            "--host-memory takes the GiB that each host has, not {host}.", host=f"{host:g}"
        )
    if arguments.run and arguments.run.startswith(("http://", "https://")):
        raise UserError(
            "--run takes the folder or file of a run; what {link} shows of lengths is given with "
            "--prompt-tokens and --response-tokens.",
            link=arguments.run,
        )
    lengths = _lengths(arguments)
    words = script_words(arguments)
    scripts, options, unchecked = scripts_with_options(
        arguments,
        script_arguments=words,
        model=arguments.model,
        settings=arguments.settings,
        hub=HubConfigs(os.environ, Path.home(), fetches=not arguments.offline),
    )
    by_path = {script.path: script for script in scripts}
    estimate = partial(
        estimate_script,
        options=options,
        gpus=arguments.gpus,
        run=run_path(arguments.run) if arguments.run else lengths,
        host_gib=host,
    )
    reports = [
        in_language(made, options.config.language)
        for made in each_script(estimate, by_path.values(), unchecked)
    ]
    for made in reports:
        _note_unused(made, partial(estimate, by_path[made.path]), lengths, options)
        note_gpus(arguments.gpus, made.estimate.gpus if made.estimate else None, made.path)
    report = make_report(reports, unchecked=unchecked, language=options.config.language)
    status = exit_status(report)
    if arguments.format == "json":
        return finish(report, arguments)
    found = [script.estimate for script in report.scripts if script.estimate is not None]
    likely = any("likely OOM" in (one.outcome, one.host_outcome) for one in found)
    if arguments.quiet and status == 0 and not likely:
        return status
    if arguments.format == "svg":
        _draw(report)
        return status
    from bot.render.estimates import estimates

    write(estimates(report, arguments.format))
    return status


def _draw(report: Report) -> None:
    """Print the drawing of the one script that has an estimate; raises UserError for several."""
    from bot.render.estimates import estimates

    made = [script for script in report.scripts if script.estimate is not None]
    drawn = sum(bool(script.estimate and script.estimate.stages) for script in made)
    if drawn > 1:
        raise UserError(
            "--format svg draws one script, and these are {count}: name one, or take --format "
            "markdown for all of them.",
            count=drawn,
        )
    write(estimates(report, "svg"))
    # What has no picture would be silent.
    for script in made:
        if script.estimate is not None and not script.estimate.stages:
            why = script.estimate.reason
            notice("{name}: no prediction. {reason}", name=script.path, reason=why)
    for item in report.unchecked:
        notice(item.reason)


def _note_unused(
    made: ScriptReport,
    estimate: Callable[..., ScriptReport],
    lengths: Measured | None,
    options: CheckOptions,
) -> None:
    """Name each option that says something of model or data, and changes no figure of a script."""
    figures = _figures(made)
    for option, other in _without_one(lengths, options) if figures else ():
        if _figures(estimate(**other)) == figures:
            notice("{option} changes nothing for {path}.", option=option, path=made.path)


def _without_one(
    lengths: Measured | None, options: CheckOptions
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each option that says something of model or data, with what is asked without it."""
    if options.model is not None:
        yield "--model", {"options": replace(options, model=None)}
    for option, name in _LENGTHS.items():
        if lengths is not None and getattr(lengths, name) is not None:
            rest = replace(lengths, **{name: None})
            yield option, {"run": None if rest == type(lengths)() else rest}


def _figures(made: ScriptReport) -> list[tuple[float, ...]]:
    """What an estimate says of each stage."""
    stages = made.estimate.stages if made.estimate is not None else ()
    return [(one.floor_gib, one.expected_gib, one.conservative_gib) for one in stages]


def _lengths(arguments: argparse.Namespace) -> Measured | None:
    """The lengths that are given; raises UserError where one is none."""
    from bot.memory.readers.lengths import Measured
    from bot.memory.readers.settings import LONGEST

    prompt, response = arguments.prompt_tokens, arguments.response_tokens
    images, longest = arguments.image_tokens, arguments.longest_tokens
    for option, tokens, least in (
        ("--prompt-tokens", prompt, 1),
        ("--response-tokens", response, 1),
        ("--longest-tokens", longest, 1),
        ("--image-tokens", images, 0),
    ):
        if tokens is not None and not least <= tokens <= LONGEST:
            raise UserError(
                "{option} takes a number of tokens from {least} to {most}, not {tokens}.",
                option=option,
                least=least,
                most=f"{LONGEST:,}",
                tokens=f"{tokens:,.15g}",
            )
    mean = (prompt or 0) + (response or 0)
    if longest is not None and longest < mean:
        raise UserError(
            "The longest of your data, {longest} tokens, is shorter than the mean of {mean}.",
            longest=f"{longest:g}",
            mean=f"{mean:g}",
        )
    given = {
        "--response-tokens": response,
        "--prompt-tokens": prompt,
        "--longest-tokens": longest,
        "--image-tokens": images,
    }
    said = next((option for option, tokens in given.items() if tokens is not None), None)
    if said is None:
        return None
    if arguments.run:
        raise UserError("Give the lengths by --run or by {given}, not by both.", given=said)
    return Measured(prompt_mean=prompt, response_mean=response, longest=longest, image_mean=images)
