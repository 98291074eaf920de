"""`rlbot verify --again REPORT.json`: whether a run was edited since it was checked."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bot.base.errors import UserError
from bot.base.messages import message, translated
from bot.check.recheck import Again, as_json, parse_report, read_again, status
from bot.commands.arguments import options_of, without_effect
from bot.commands.configuration import config_of
from bot.commands.files import read_file
from bot.commands.output import write
from bot.commands.runs import reading, run_of
from bot.evidence import EvidenceError, read
from bot.evidence.facts import Facts
from bot.evidence.links import parse_link
from bot.render import wording
from bot.render.escape import terminal
from bot.render.speech import current, speaking, tr, tr_plural
from bot.report import Scalar, ScriptReport

_OF_A_CHECK = (
    *("root", "link", "contributor", "tag", "framework", "framework_tree", "device", "env"),
    *("select", "ignore", "verbose", "quiet"),
)


def again(arguments: argparse.Namespace) -> int:
    """Read the runs of a report once more; returns the exit status."""
    if arguments.format not in ("text", "json"):
        raise UserError("--again prints text or json; leave --format out.")
    without_effect(arguments, "--again", _OF_A_CHECK)
    report = parse_report(read_file(Path(arguments.again)), arguments.again)
    config = config_of(arguments)
    options = options_of(arguments, config, **reading(arguments.offline, config, "caller"))
    compared = [script for script in report.scripts if script.evidence]
    if arguments.script:
        compared = [s for s in compared if Path(s.path).name == Path(arguments.script).name]
    if arguments.run and len(compared) != 1:
        raise UserError(
            "--run: the report holds the runs of {count} scripts; name the script too.",
            count=len(compared),
        )

    def fetch(script: ScriptReport) -> Facts:
        url = script.evidence.run.url if script.evidence else None
        if arguments.run:
            return read(run_of(arguments.run, options), linked=options.linked)
        if url is None:
            raise EvidenceError(
                message(
                    "The report does not say where the run lies; pass its folder or link with "
                    "--run."
                )
            )
        link = parse_link(url, options.hosts)
        return read(link, linked=options.linked)

    found = read_again(compared, fetch)
    if arguments.format == "json":
        write(json.dumps(as_json(found), indent=2, ensure_ascii=False))
    else:
        with speaking(options.config.language):
            write(_text(found))
    return status(found)


def _text(found: tuple[Again, ...]) -> str:
    lines: list[str] = []
    for each in found:
        lines.append(tr("{what}: {why}", what=each.path, why=_sentence(each)))
        lines += [
            "  "
            + tr(
                "{fact}: was {before}, is {now}",
                fact=one.fact,
                before=_value_text(one.before),
                now=_value_text(one.now),
            )
            for one in each.differences
        ]
    return "\n".join(map(terminal, lines or [tr("The report compares no script with a run.")]))


def _sentence(each: Again) -> str:
    if each.forged:
        return tr("the report itself was edited: its digest is not that of the facts in it.")
    if each.problem:
        return tr("not compared. {why}", why=translated(each.problem, current()))
    if each.differences:
        return tr_plural(
            "{count} fact of the run is not what the report holds ({facts}): the run was edited, "
            "or went on.",
            "{count} facts of the run are not what the report holds ({facts}): the run was "
            "edited, or went on.",
            len(each.differences),
            facts=each.facts,
        )
    return tr_plural(
        "the run says what it said ({count} fact).",
        "the run says what it said ({count} facts).",
        each.facts,
    )


def _value_text(value: Scalar) -> str:
    return tr("not there") if value is None else wording.value(value)
