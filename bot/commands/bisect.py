"""`rlbot bisect plan|read SCRIPT`: the runs that find the largest batch, and what they found."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bot.base.errors import UserError
from bot.base.files import make_folder, replace_file, write_new_file
from bot.base.messages import sentence_of
from bot.commands.arguments import add_gpus, add_reading, note_gpus, number
from bot.commands.files import read_file
from bot.commands.inputs import script_with_options
from bot.commands.output import notice, write
from bot.commands.runs import RUN, add_offline, run_of
from bot.commands.tree import add_root
from bot.frameworks.python.notebook import is_notebook
from bot.script.name import is_program, is_recipe

if TYPE_CHECKING:
    from bot.bisect.candidates import Candidates
    from bot.bisect.report import Bracket, SeriesPlan
    from bot.check.request import CheckOptions, ScriptFile
    from bot.evidence.facts import Facts

T = TypeVar("T", "SeriesPlan", "Bracket")

SUMMARY = "the largest batch: the series of runs that finds it, and what the finished runs say"
_PLAN = (
    "`rlbot bisect plan SCRIPT`: the run to start next, to find the largest batch; nothing is run."
)
_READ = "`rlbot bisect read SCRIPT RUN…`: what the finished runs say of the largest batch."
_READ_WITH = ("root", "config", "framework", "framework_tree", "device", "env", "gpus")
"""The options that say how the script is read."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    plan = actions.add_parser(
        "plan", help="write the script of the run to start", description=_PLAN
    )
    read = actions.add_parser(
        "read",
        help="read the finished runs: the bracket, the next run, the trial log",
        description=_READ,
    )
    for action in (plan, read):
        _add_script(action)
    value = number(10**9)
    plan.add_argument(
        "--ran", metavar="N", type=value, help="this value ran (default: the script's trial log)"
    )
    plan.add_argument(
        "--failed", metavar="N", type=value, help="this value failed (default: the trial log)"
    )
    read.add_argument(
        "runs",
        metavar=RUN,
        nargs="+",
        help="a finished run: a link to it, a folder such as wandb/offline-run-…, or a console log",
    )
    read.add_argument(
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
    add_offline(parser)
    add_gpus(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--to", metavar="DIR", help="write the next script below this folder")
    parser.set_defaults(select=None, ignore="")


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status.

    Of `plan` 3 without a prediction, or with nothing to bisect; of `read` 1 for a contradiction, 3
    when no run is evidence.
    """
    return _plan(arguments) if arguments.action == "plan" else _read_runs(arguments)


def _plan(arguments: argparse.Namespace) -> int:
    from bot.bisect.candidates import Candidates
    from bot.bisect.ends import known_ends
    from bot.bisect.series import plan_series
    from bot.bisect.text import plan_text

    script, options = _script(arguments)
    candidates = Candidates(script, options, arguments.vary, gpus=arguments.gpus)
    known = known_ends(candidates, arguments.ran, arguments.failed)
    plan = plan_series(candidates, known)
    note_gpus(arguments.gpus, plan.gpus, plan.script)
    if arguments.to:
        path = _write_script(candidates, plan, arguments.to)
        plan = replace(plan, probes=tuple(replace(run, path=path) for run in plan.probes))
    plan = _with_options(plan, arguments, "to")
    _show(plan, arguments.format, plan_text, options)
    return 3 if plan.no_prediction is not None or plan.no_effect is not None else 0


def _read_runs(arguments: argparse.Namespace) -> int:
    from bot.bisect.bracket import read_bracket
    from bot.bisect.candidates import Candidates
    from bot.bisect.text import bracket_text

    script, options = _script(arguments)
    alone = len(arguments.runs) == 1
    runs = [(named, _facts_or_reason(named, options, alone=alone)) for named in arguments.runs]
    facts = [facts for _, facts in runs if not isinstance(facts, str)]
    candidates = Candidates(script, options, arguments.vary, gpus=arguments.gpus, facts=facts)
    bracket, data, plan = read_bracket(candidates, runs)
    note_gpus(arguments.gpus, plan.gpus if plan is not None else None, script.path)
    if arguments.to and plan is not None:
        path = _write_script(candidates, plan, arguments.to)
        bracket = replace(bracket, next_paths=(path,) if path is not None else ())
    bracket = _with_options(bracket, arguments)
    if arguments.write:
        if bracket.verdict == "contradictory":
            raise UserError("{summary} Nothing was written.", summary=bracket.summary)
        if data != script.data:
            replace_file(Path(script.path), script.data, data)
            notice("wrote the trial log into {path}", path=script.path)
    else:
        bracket = replace(bracket, written=None)
    _show(bracket, arguments.format, bracket_text, options)
    return {"contradictory": 1, "nothing": 3}.get(bracket.verdict, 0)


def _script(arguments: argparse.Namespace) -> tuple[ScriptFile, CheckOptions]:
    if is_recipe(arguments.script):
        raise UserError(
            "{path} is a recipe, and bisect varies scripts; name the one that starts it, with the "
            "batch in its command.",
            path=arguments.script,
        )
    script, options = script_with_options(arguments)  # Refuses a program that trains nothing.
    if is_notebook(script.path):
        raise UserError(
            "{path} is a notebook, and bisect varies scripts: it cannot write another batch there.",
            path=script.path,
        )
    if is_program(script.path):
        raise UserError(
            "{path} is a program, and bisect varies scripts; name one that starts it, with the "
            "batch in its command.",
            path=script.path,
        )
    return script, options


def _with_options(answer: T, arguments: argparse.Namespace, *more: str) -> T:
    """An answer whose next command reads the script with the options of this one."""
    if answer.next_command is None:
        return answer
    words: list[str] = []
    for name in (*_READ_WITH, *more):
        value = getattr(arguments, name)
        for one in value if isinstance(value, list) else [value] if value is not None else []:
            words += [f"--{name.replace('_', '-')}", str(one)]
    command = " ".join([answer.next_command, *map(shlex.quote, words)])
    return replace(answer, next_command=command)


def _show(answer: T, form: str, text: Callable[[T], str], options: CheckOptions) -> None:
    from bot.check.translate import in_language
    from bot.render.json_report import to_json

    answer = in_language(answer, options.config.language)
    if form == "json":
        write(to_json(answer), commands=True)
    else:
        write(text(answer))


def _facts_or_reason(named: str, options: CheckOptions, *, alone: bool) -> Facts | str:
    """What was read of a run, or why it could not be read.

    Raises UserError for the only one, when it is no run.
    """
    from bot.evidence import EvidenceError, read

    try:
        return read(run_of([named], options), linked=options.linked)
    except (UserError, EvidenceError) as error:
        if alone and isinstance(error, UserError):
            raise
        return sentence_of(error)


def _write_script(candidates: Candidates, plan: SeriesPlan, root: str) -> str | None:
    """Write the script of the next run below a folder, and give its path; None without a next run.

    Its name and the folder that it stands in, by which a size may be named, stay. So does a file
    that is there already, unless it starts something else.
    """
    from bot.bisect.scripts import same_launch, script_of

    if not plan.probes:
        return None
    data, script = script_of(candidates, plan), candidates.script
    named = Path(script.full_path or script.path)
    path = Path(root) / plan.probes[0].name / named.parent.name / named.name
    if path.exists() or path.is_symlink():
        if not same_launch(read_file(path), data):
            raise UserError("{path} is there already; nothing was written.", path=path)
        return path.as_posix()
    make_folder(path.parent)
    write_new_file(path, data, mode=named.stat().st_mode & 0o777)
    notice("wrote {path}", path=path)
    return path.as_posix()
