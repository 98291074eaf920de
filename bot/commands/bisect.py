"""`rlbot bisect plan|read SCRIPT`: the runs that find the largest batch, and what they found."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeVar

from bot.base.errors import UserError, system_reason
from bot.base.files import replace_file, write_new_file
from bot.base.messages import message, plural_message, sentence_of
from bot.commands.arguments import add_reading, read_file
from bot.commands.inputs import script_with_options
from bot.commands.output import notice, write
from bot.commands.runs import RUN, add_offline, run_of
from bot.commands.tree import add_root

if TYPE_CHECKING:
    from bot.bisect.report import Bracket, SeriesPlan
    from bot.check.request import CheckOptions, ScriptFile
    from bot.evidence.facts import Facts

SUMMARY = "the largest batch: the series of runs that finds it, and what the finished runs say"
_PLAN = (
    "`rlbot bisect plan SCRIPT`: the series of runs that finds the largest batch; nothing is run."
)
_READ = "`rlbot bisect read SCRIPT RUN…`: what the finished runs say of the largest batch."
_REMOVED = {
    "parallel": message(
        "the runs of a series are started one after the other; rlbot bisect read names the next"
    ),
    "sweep": message("a W&B sweep cannot bisect; start the scripts that --to DIR writes"),
    "largest": message("name the smallest value that is too large with --failed"),
    "multiple": message(
        "a series takes the finest steps that seven runs allow; --ran A --failed B makes the next "
        "one finer"
    ),
    "all": message("rlbot bisect read --to DIR writes the script of the next run"),
}
"""Options of earlier releases, and what to do instead."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _add_plan(
        actions.add_parser(
            "plan",
            help="write the scripts that bisect the predicted band",
            description=_PLAN,
        )
    )
    _add_read(
        actions.add_parser(
            "read",
            help="read the finished runs: the bracket, the next run, the trial log",
            description=_READ,
        )
    )


def _add_plan(parser: argparse.ArgumentParser) -> None:
    _add_script(parser)
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
    parser.add_argument("--blind", action="store_true", help="search without the prediction")
    parser.add_argument(
        "--to",
        metavar="DIR",
        help="write the scripts of the first three runs below this folder; rlbot bisect read --to "
        "writes the next",
    )


def _add_read(parser: argparse.ArgumentParser) -> None:
    _add_script(parser)
    parser.add_argument(
        "runs",
        metavar=RUN,
        nargs="+",
        help="a finished run: a link to it, a folder such as wandb/offline-run-…, or a console log",
    )
    add_offline(parser)
    parser.add_argument("--to", metavar="DIR", help="write the next scripts below this folder")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the largest batch that ran, and the trial log beside it, into the script",
    )


def _add_script(parser: argparse.ArgumentParser) -> None:
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
    add_reading(parser)
    parser.add_argument(
        "--gpus", metavar="N", type=int, help="GPUs, where the script leaves them to its launcher"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    for option in _REMOVED:
        action = "store_true" if option == "all" else "store"
        parser.add_argument(f"--{option}", action=action, default=None, help=argparse.SUPPRESS)
    parser.set_defaults(select="", ignore="")


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status.

    Of `plan` 3 without a prediction, or with nothing to bisect; of `read` 1 for a contradiction, 3
    when no run is evidence.
    """
    for option, instead in _REMOVED.items():
        if getattr(arguments, option) is not None:
            raise UserError("--{option} was removed: {instead}.", option=option, instead=instead)
    return _plan(arguments) if arguments.action == "plan" else _read(arguments)


def _plan(arguments: argparse.Namespace) -> int:
    from bot.bisect.request import SeriesRequest
    from bot.bisect.scripts import scripts, with_paths
    from bot.bisect.series import candidates_of, plan_runs
    from bot.bisect.text import plan_text

    script, options = script_with_options(arguments)
    for name in ("ran", "failed", "gpus"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise UserError(
                "--{name} takes a positive number, not {value}.", name=name, value=value
            )
    facts = _facts_or_reason(arguments.run, options) if arguments.run else None
    if isinstance(facts, str):
        raise UserError("{run}: {facts}", run=arguments.run, facts=facts)
    request = SeriesRequest(
        vary=tuple(arguments.vary),
        device=arguments.device,
        gpus=arguments.gpus,
        facts=() if facts is None else (facts,),
        ran=arguments.ran,
        failed=arguments.failed,
        blind=arguments.blind,
    )
    candidates = candidates_of(script, options, request)
    plan = plan_runs(candidates, request)
    if arguments.to:
        written = scripts(candidates, plan)
        _write_scripts(written, script, Path(arguments.to))
        plan = with_paths(plan, arguments.to, _parent_of(script), written)
        if plan.next_command is not None:
            to = shlex.join(["--to", arguments.to])
            plan = replace(plan, next_command=f"{plan.next_command} {to}")
    _show(plan, arguments.format, plan_text, options)
    unpredicted = plan.no_prediction is not None and not arguments.blind
    return 3 if unpredicted or plan.no_effect is not None else 0


def _read(arguments: argparse.Namespace) -> int:
    from bot.bisect.bracket import read_bracket
    from bot.bisect.request import SeriesRequest
    from bot.bisect.text import bracket_text

    script, options = script_with_options(arguments)
    runs = [(named, _facts_or_reason(named, options)) for named in arguments.runs]
    request = SeriesRequest(
        vary=tuple(arguments.vary), device=arguments.device, gpus=arguments.gpus
    )
    bracket, data, following = read_bracket(script, options, request, runs)
    if arguments.to:
        paths = _write_scripts(following, script, Path(arguments.to))
        bracket = replace(bracket, next_paths=paths)
    if arguments.write:
        if bracket.verdict == "contradictory":
            raise UserError("{summary} Nothing was written.", summary=bracket.summary)
        if data != script.data:
            replace_file(Path(script.path), script.data, data)
            notice("wrote the trial log into {path}", path=script.path)
        bracket = replace(bracket, written=bracket.trial_log is not None and not bracket.notes)
    _show(bracket, arguments.format, bracket_text, options)
    return {"contradictory": 1, "nothing": 3}.get(bracket.verdict, 0)


T = TypeVar("T", "SeriesPlan", "Bracket")


def _show(answer: T, form: str, text: Callable[[T], str], options: CheckOptions) -> None:
    from bot.check.translate import in_language
    from bot.render.json_report import dump

    answer = in_language(answer, options.config.language)
    if form == "json":
        write(dump(asdict(answer)), commands=True)
    else:
        write(text(answer))


def _facts_or_reason(named: str, options: CheckOptions) -> Facts | str:
    """What was read of a run, or why it could not be read."""
    from bot.evidence import EvidenceError, read

    try:
        return read(run_of([named], options), linked=options.linked)
    except EvidenceError as error:
        return sentence_of(error)


def _parent_of(script: ScriptFile) -> str:
    """The folder that the script stands in, by which a size may be named."""
    return Path(script.full_path or script.path).parent.name


def _write_scripts(scripts: Mapping[str, bytes], script: ScriptFile, root: Path) -> tuple[str, ...]:
    """Write the script of each probe below a folder, and give the paths.

    A file that is there already stays, unless it starts the same and only names another next run.
    """
    from bot.bisect.scripts import folder, same_launch

    targets = {
        root / folder(name, PurePosixPath(script.path), _parent_of(script)): data
        for name, data in scripts.items()
    }
    there = {path: _content(path) for path in targets}
    for path, old in there.items():
        if old is not None and not same_launch(old, targets[path]):
            raise UserError("{path} is there already; nothing was written.", path=path)
    try:
        mode = Path(script.path).stat().st_mode & 0o777
        for path in targets:
            path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = system_reason(error)
        raise UserError(
            "{path} cannot be written: {why}.", path=error.filename or root, why=reason
        ) from None
    for path, data in targets.items():
        old = there[path]
        if old is None:
            write_new_file(path, data, mode=mode)
        elif old != data:
            replace_file(path, old, data)
    if targets:
        notice(
            plural_message(
                "wrote {count} script below {root}",
                "wrote {count} scripts below {root}",
                len(targets),
                root=root,
            )
        )
    return tuple(path.as_posix() for path in targets)


def _content(path: Path) -> bytes | None:
    """The bytes of a script that was written before; None for a name that is free."""
    if not path.exists() and not path.is_symlink():
        return None
    return read_file(path)
