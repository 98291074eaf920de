"""`rlbot estimate SCRIPT…`: what each stage takes of each GPU's memory, before anything runs."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from bot.base.errors import UserError
from bot.commands.arguments import add_common, config_of, finish, options_of
from bot.commands.inputs import add_paths, each_script, scripts_of
from bot.commands.output import write
from bot.commands.runs import add_offline
from bot.commands.tree import add_root, tree_of

SUMMARY = "the memory budget of scripts, stage by stage, against the device"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    add_root(parser)
    add_offline(parser)
    parser.add_argument(
        "--gpus",
        metavar="N",
        type=int,
        help="GPUs, where the script leaves them to its launcher (default: those in its name)",
    )
    parser.add_argument(
        "--run", metavar="PATH", help="a W&B run folder: its measured lengths are used"
    )
    parser.add_argument(
        "--host-memory",
        metavar="GIB",
        type=float,
        help="memory of each host: says whether what is offloaded fits it",
    )
    add_common(parser, ("text", "json", "markdown", "svg"))


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 1 for an impossible budget, 3 without a prediction."""
    from bot.check.estimate import estimate_script
    from bot.check.script import make_report
    from bot.check.translate import in_language
    from bot.report import Unchecked, exit_status

    if arguments.gpus is not None and arguments.gpus < 1:
        raise UserError("--gpus takes a positive number, not {gpus}.", gpus=arguments.gpus)
    host = arguments.host_memory
    if host is not None and not 0 < host < 1e6:
        raise UserError(
            "--host-memory takes the GiB that each host has, not {host}.", host=f"{host:g}"
        )
    root, files = tree_of(arguments)
    options = options_of(arguments, config_of(arguments), files=files)
    reports = []
    unchecked: list[Unchecked] = []
    estimate = partial(
        estimate_script,
        options=options,
        gpus=arguments.gpus,
        run=Path(arguments.run) if arguments.run else None,
        host_gib=host,
    )
    for made in each_script(estimate, scripts_of(arguments, root, unchecked), unchecked):
        reports.append(in_language(made, options.config.language))
    report = make_report(reports, unchecked=unchecked, language=options.config.language)
    if arguments.format == "json":
        return finish(report, arguments)
    from bot.render.estimate import estimates

    write(estimates(report, arguments.format))
    return exit_status(report)
