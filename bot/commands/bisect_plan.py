"""`rlbot bisect plan SCRIPT`: the series of runs that finds the largest batch; nothing is run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.common import load_config, options_of, read_file, say, why, write
from bot.commands.runs import RUN, add_offline, reading, run_of
from bot.commands.tree import add_root, files_below, path_below, root_of
from bot.errors import UserError

if TYPE_CHECKING:
    from bot.bisect.series import Series
    from bot.bisection import Plan
    from bot.check import Options, Script
    from bot.evidence.facts import Facts


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
        "--sweep",
        metavar="FILE",
        help="write the round of --parallel runs (default: 3) as a W&B sweep",
    )


def add_script(parser: argparse.ArgumentParser) -> None:
    """Declare what both actions ask for."""
    parser.add_argument("script", metavar="SCRIPT", help="the script")
    parser.add_argument(
        "--vary",
        metavar="NAME",
        action="append",
        default=[],
        help="the key or the variable that is varied (default: where the script has the batch "
        "that the page calls MaxBatch); given again, the others keep their share of the first",
    )
    add_root(parser)
    parser.add_argument(
        "--device",
        metavar="NAME",
        help="the accelerator, such as h100 or a100-40 (default: the one in the script's name)",
    )
    parser.add_argument(
        "--gpus", metavar="N", type=int, help="GPUs, where the script leaves them to its launcher"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--config", metavar="FILE", help="configuration (default: .rlbot.yml)")
    parser.add_argument(
        "--framework",
        metavar="NAME@RELEASE",
        action="append",
        default=[],
        help="read against this release, such as verl@0.4.1",
    )
    parser.add_argument(
        "--framework-tree", metavar="DIR", help="read against the configuration of this checkout"
    )
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the result")
    parser.set_defaults(select="", ignore="")


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 3 without a prediction, or nothing to bisect."""
    from dataclasses import replace

    from bot.bisect.asked import Asked
    from bot.bisect.band import Where
    from bot.bisect.scripts import with_paths
    from bot.bisect.series import plan_series
    from bot.bisect.zh import in_language

    script, options = script_of(arguments)
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
        _write(series, Path(arguments.to))
        plan = with_paths(plan, arguments.to, _parent(script))
    if arguments.sweep and plan.no_effect is None:
        plan = replace(plan, sweep=_sweep(series, plan, Path(arguments.sweep)))
    plan = in_language(plan, options.config.language)
    if arguments.format == "json":
        from dataclasses import asdict

        from bot.render.json_report import dump

        write(dump(asdict(plan)), commands=True)
    else:
        from bot.render.bisect import plan_text

        write(plan_text(plan))
    unpredicted = plan.no_prediction is not None and not arguments.blind
    return 3 if unpredicted or plan.no_effect is not None else 0


def script_of(arguments: argparse.Namespace) -> tuple[Script, Options]:
    """The script that is named, and how it is read."""
    from bot.check import Script

    path = Path(arguments.script)
    root = root_of(arguments.root)
    tree_path = None
    if root is not None:
        tree_path = path_below(root, path)
        if tree_path is None:
            raise UserError(f"{path} does not lie below the folder that --root names, {root}.")
    config = load_config(arguments.config)
    options = options_of(
        arguments,
        config,
        files=files_below(root) if root else None,
        **reading(arguments.offline, config),
    )
    script = Script(
        path=path.as_posix(),
        data=read_file(path),
        full_path=path.absolute().as_posix(),
        tree_path=tree_path,
    )
    return script, options


def facts_of(named: str, options: Options) -> Facts:
    """What was read of a run; raises UserError with the reason when it was not."""
    from bot.evidence import EvidenceError, read

    try:
        return read(run_of(named, options), linked=options.linked)
    except EvidenceError as error:
        raise UserError(f"{named}: {error}") from None


def _parent(script: Script) -> str:
    """The folder that the script stands in, by which a size may be named."""
    return Path(script.full_path or script.path).parent.name


def _write(series: Series, root: Path) -> None:
    """Write each script; never over another file."""
    from pathlib import PurePosixPath

    from bot.bisect.scripts import folder, scripts

    script = series.candidates.script
    made = scripts(series)
    targets = {
        root / folder(name, PurePosixPath(script.path), _parent(script)): data
        for name, data in made.items()
    }
    try:
        there = [path for path, data in targets.items() if _other(path, data)]
        if there:
            raise UserError(f"{there[0]} is there already; nothing was written.")
        mode = Path(script.path).stat().st_mode & 0o777
        for path, data in targets.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(mode)
    except OSError as error:
        raise UserError(f"{error.filename or root} cannot be written: {why(error)}.") from None
    if targets:
        say(f"wrote {len(targets)} scripts below {root}")


def _sweep(series: Series, plan: Plan, path: Path) -> str:
    """Write the sweep, never over another file, and give its text."""
    from bot.bisect.sweep import sweep

    text = sweep(series, {probe.name: probe.path for probe in plan.probes if probe.path})
    try:
        if _other(path, text.encode()):
            raise UserError(f"{path} is there already; it was not overwritten.")
        path.write_bytes(text.encode())
    except OSError as error:
        raise UserError(f"{path} cannot be written: {why(error)}.") from None
    say(f"wrote {path}; `wandb sweep {path}` makes it, `wandb agent` runs it")
    return text


def _other(path: Path, data: bytes) -> bool:
    """Whether something else than what is to be written stands there."""
    if path.is_symlink():
        return True
    try:
        return path.read_bytes() != data
    except FileNotFoundError:
        return False
