"""`rlbot bisect read SCRIPT RUN…`: what the finished runs say of the largest batch."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.base.errors import UserError
from bot.commands.arguments import notice, write
from bot.commands.bisecting import add_script, facts_or_reason, script_of, write_scripts
from bot.commands.runs import RUN, add_offline


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_script(parser)
    parser.add_argument(
        "runs",
        metavar=RUN,
        nargs="+",
        help="a finished run: a link to it, a folder such as wandb/offline-run-…, or a console log",
    )
    add_offline(parser)
    parser.add_argument(
        "--parallel", metavar="K", type=int, default=1, help="name K runs for the next round"
    )
    parser.add_argument("--to", metavar="DIR", help="write the next scripts below this folder")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the largest batch that ran, and the trial log beside it, into the script",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 1 for a contradiction, 3 when no run says anything."""
    from dataclasses import asdict, replace

    from bot.bisect.band import Where
    from bot.bisect.bracket import read_bracket
    from bot.bisect.request import Asked
    from bot.bisect.zh import in_language
    from bot.commands.fixing import replace_script

    script, options = script_of(arguments)
    if arguments.parallel < 1:
        raise UserError(f"--parallel takes a positive number, not {arguments.parallel}.")
    runs = [(named, facts_or_reason(named, options)) for named in arguments.runs]
    asked = Asked(
        vary=tuple(arguments.vary),
        where=Where(device=arguments.device, gpus=arguments.gpus),
        at_once=arguments.parallel,
    )
    bracket, data, following = read_bracket(script, options, asked, runs)
    if arguments.to:
        paths = write_scripts(following, script, Path(arguments.to))
        bracket = replace(bracket, next_paths=paths)
    if arguments.write:
        if bracket.verdict == "contradictory":
            raise UserError(f"{bracket.summary} Nothing was written.")
        if data != script.data:
            problem = replace_script(Path(script.path), script.data, data)
            if problem:
                raise UserError(problem)
            notice(f"wrote the trial log into {script.path}")
        bracket = replace(bracket, written=bracket.trial_log is not None and not bracket.notes)
    bracket = in_language(bracket, options.config.language)
    if arguments.format == "json":
        from bot.render.json_report import dump

        write(dump(asdict(bracket)), commands=True)
    else:
        from bot.bisect.text import bracket_text

        write(bracket_text(bracket))
    return {"contradictory": 1, "nothing": 3}.get(bracket.verdict, 0)
