"""`rlbot verify --again REPORT.json`: whether a run was edited since it was checked."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.errors import UserError
from bot.base.messages import message
from bot.check.recheck import Again, as_json, parse_report, read_again, status
from bot.commands.arguments import config_of, options_of, read_file
from bot.commands.output import write
from bot.commands.runs import reading, run_of
from bot.report import Scalar, ScriptReport

if TYPE_CHECKING:
    from bot.evidence.facts import Facts


def again(arguments: argparse.Namespace) -> int:
    """Read the runs of a report once more; returns the exit status."""
    from bot.evidence import EvidenceError, read
    from bot.evidence.links import parse_link

    if arguments.format not in ("text", "json"):
        raise UserError(message("--again prints text or json; leave --format out."))
    report = parse_report(read_file(Path(arguments.again)), arguments.again)
    config = config_of(arguments)
    options = options_of(arguments, config, **reading(arguments.offline, config, "caller"))
    compared = [script for script in report.scripts if script.evidence]
    if arguments.script:
        compared = [s for s in compared if Path(s.path).name == Path(arguments.script).name]
    if arguments.run and len(compared) != 1:
        raise UserError(
            message(
                "--run: the report holds the runs of {count} scripts; name the script too.",
                count=len(compared),
            )
        )

    def fetch(script: ScriptReport) -> Facts:
        url = script.evidence.run.url if script.evidence else None
        if arguments.run:
            return read(run_of(arguments.run, options), linked=options.linked)
        if url is None:
            raise EvidenceError(
                "The report does not say where the run lies; pass its folder or link with --run."
            )
        link = parse_link(url, options.hosts)
        return read(link, linked=options.linked)

    found = read_again(compared, fetch)
    if arguments.format == "json":
        write(json.dumps(as_json(found), indent=2, ensure_ascii=False))
    else:
        write(_text(found))
    return status(found)


def _text(found: tuple[Again, ...]) -> str:
    from bot.render.escape import terminal

    lines: list[str] = []
    for each in found:
        lines.append(f"{each.path}: {_sentence(each)}")
        lines += [
            f"  {one.fact}: was {_shown(one.before)}, is {_shown(one.now)}"
            for one in each.differences
        ]
    return "\n".join(map(terminal, lines or ["The report compares no script with a run."]))


def _sentence(each: Again) -> str:
    if each.forged:
        return "the report itself was edited: its digest is not that of the facts in it."
    if each.problem:
        return f"not compared. {each.problem}"
    if each.differences:
        return (
            f"{len(each.differences)} facts of the run are not what the report holds "
            f"({each.facts}): the run was edited, or went on."
        )
    return f"the run says what it said ({each.facts} facts)."


def _shown(value: Scalar) -> str:
    return "not there" if value is None else repr(value) if isinstance(value, float) else str(value)
