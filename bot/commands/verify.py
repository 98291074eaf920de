"""`rlbot verify SCRIPT --run FOLDER`: compare a script with its run."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.commands.common import add_common, finish, load_config, options_of, read_file

SUMMARY = "compare a script with its W&B run"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("script", metavar="SCRIPT", help="the script")
    parser.add_argument(
        "--run",
        metavar="PATH",
        required=True,
        help="the run: a folder such as wandb/offline-run-…, or the .wandb file in it",
    )
    add_row_arguments(parser)
    add_common(parser, ("text", "json", "markdown"))


def add_row_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the row can't take from the script or the run."""
    parser.add_argument("--link", metavar="URL", help="address of the script, for the row")
    parser.add_argument("--contributor", metavar="NAME", help="who contributes it, for the row")
    parser.add_argument("--tag", choices=("MIN", "RECOMMENDED"), help="tag of the row")


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.check import Script, check_script, make_report

    path = Path(arguments.script)
    data = read_file(path)
    options = options_of(
        arguments,
        load_config(arguments.config),
        evidence="required",
        link=arguments.link,
        contributor=arguments.contributor,
        tag=arguments.tag,
    )
    script = Script(path=path.as_posix(), data=data, full_path=path.absolute().as_posix())
    report = make_report([check_script(script, options, run=Path(arguments.run))])
    return finish(report, arguments, {script.path: data.decode("utf-8", "replace")})
