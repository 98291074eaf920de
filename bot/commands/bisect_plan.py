"""`rlbot bisect plan SCRIPT`: the series of runs that finds the largest batch; nothing is run."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.errors import UserError
from bot.commands.arguments import notice, why, write
from bot.commands.bisecting import (
    add_script,
    facts_of,
    other,
    parent_of,
    script_of,
    write_scripts,
)
from bot.commands.runs import RUN, add_offline

if TYPE_CHECKING:
    from bot.bisect.report import Plan
    from bot.bisect.series import Series


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_script(parser)
    parser.add_argument(
        "--run",
        metavar=RUN,
        help="a finished run of the model and the data: its measured lengths narrow the band",
    )
    add_offline(parser)
    parser.add_argument(
        "--ran", metavar="N", type=int, help="this value ran (default: the script's trial log)"
    )
    parser.add_argument(
        "--failed", metavar="N", type=int, help="this value failed (default: the trial log)"
    )
    parser.add_argument("--largest", metavar="N", type=int, help="try no larger value")
    parser.add_argument(
        "--multiple",
        metavar="N",
        type=int,
        help="try multiples of N alone (default: as fine as seven runs allow)",
    )
    parser.add_argument(
        "--parallel", metavar="K", type=int, default=1, help="K runs beside each other (default: 1)"
    )
    parser.add_argument("--blind", action="store_true", help="leave the prediction out")
    parser.add_argument("--to", metavar="DIR", help="write the scripts below this folder")
    parser.add_argument(
        "--all",
        action="store_true",
        help="write the script of every run that may come (default: of the first three; "
        "rlbot bisect read --to writes the next)",
    )
    parser.add_argument(
        "--sweep",
        metavar="FILE",
        help="write the round of --parallel runs (default: 3) as a W&B sweep",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 3 without a prediction, or nothing to bisect."""
    from dataclasses import replace

    from bot.bisect.band import Where
    from bot.bisect.request import Asked
    from bot.bisect.scripts import scripts, with_paths
    from bot.bisect.series import plan_series
    from bot.bisect.zh import in_language

    script, options = script_of(arguments)
    if arguments.all and not arguments.to:
        raise UserError("--all needs --to DIR, the folder to write to.")
    for name in ("ran", "failed", "largest", "multiple", "parallel", "gpus"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise UserError(f"--{name} takes a positive number, not {value}.")
    at_once = arguments.parallel
    if arguments.sweep and at_once == 1:
        at_once = 3
    facts = (facts_of(arguments.run, options),) if arguments.run else ()
    series = plan_series(
        script,
        options,
        Asked(
            vary=tuple(arguments.vary),
            where=Where(device=arguments.device, gpus=arguments.gpus, facts=facts),
            ran=arguments.ran,
            failed=arguments.failed,
            largest=arguments.largest,
            multiple=arguments.multiple,
            at_once=at_once,
            blind=arguments.blind,
        ),
    )
    plan = series.plan
    if arguments.to:
        made = scripts(series, whole=arguments.all)
        write_scripts(made, script, Path(arguments.to))
        plan = with_paths(plan, arguments.to, parent_of(script), made)
        if plan.next_command is not None:
            to = shlex.join(["--to", arguments.to])
            plan = replace(plan, next_command=f"{plan.next_command} {to}")
    if arguments.sweep and plan.no_effect is None:
        plan = replace(plan, sweep=_sweep(series, plan, Path(arguments.sweep)))
    plan = in_language(plan, options.config.language)
    if arguments.format == "json":
        from dataclasses import asdict

        from bot.render.json_report import dump

        write(dump(asdict(plan)), commands=True)
    else:
        from bot.bisect.text import plan_text

        write(plan_text(plan))
    unpredicted = plan.no_prediction is not None and not arguments.blind
    return 3 if unpredicted or plan.no_effect is not None else 0


def _sweep(series: Series, plan: Plan, path: Path) -> str:
    """Write the sweep, never over another file, and give its text."""
    from bot.bisect.sweep import sweep

    text = sweep(series, {probe.name: probe.path for probe in plan.probes if probe.path})
    try:
        if other(path, text.encode()):
            raise UserError(f"{path} is there already; it was not overwritten.")
        path.write_bytes(text.encode())
    except OSError as error:
        raise UserError(f"{path} cannot be written: {why(error)}.") from None
    notice(f"wrote {path}; `wandb sweep {path}` makes it, `wandb agent` runs it")
    return text
