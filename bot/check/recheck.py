"""Whether a run still says what it said when a report was made."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from bot.base.adapters import adapter_of
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, sentence_of
from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.record import Difference, differences, digest
from bot.report import Report, ScriptReport

MAX_REPORT = 1 << 26
"""Bytes of a report that are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """One script's run, read once more."""

    path: str
    facts: int = 0
    """How many facts the report holds of the run."""
    differences: tuple[Difference, ...] = ()
    problem: str | None = None
    """Why the run could not be compared, a sentence; None when it was."""
    forged: bool = False
    """True when the digest is not that of the report's own facts: the report was edited."""


def parse_report(data: bytes, origin: str) -> Report:
    """A report from its JSON; raises UserError, a sentence, when it is none."""
    if len(data) > MAX_REPORT:
        raise UserError(
            "{origin} has {size} bytes; a report has at most {limit}.",
            origin=origin,
            size=f"{len(data):,}",
            limit=f"{MAX_REPORT:,}",
        )
    from pydantic import ValidationError

    try:
        report: Report = adapter_of(Report).validate_python(json.loads(data))
        return report
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        at = f" ({place}: {first['msg'].lower()})" if place else ""
        raise UserError(
            "{origin} is no report of this or an older version of rlbot{at}; make one with "
            "`rlbot verify --format json`.",
            origin=origin,
            at=at,
        ) from None
    except (ValueError, RecursionError):
        raise UserError(
            "{origin} is not JSON; make a report with `rlbot verify --format json`.", origin=origin
        ) from None


def read_again(
    scripts: Iterable[ScriptReport], read: Callable[[ScriptReport], Facts]
) -> tuple[Again, ...]:
    """Compare the runs of a report's scripts with what `read` finds now.

    `read` gets a script with evidence and raises EvidenceError when its run cannot be read.
    """
    return tuple(_recheck_script(script, read) for script in scripts if script.evidence)


def _recheck_script(script: ScriptReport, read: Callable[[ScriptReport], Facts]) -> Again:
    recorded = script.evidence.facts if script.evidence else None
    if recorded is None:
        problem = message("The report keeps no facts of this run: it was not compared.")
        return Again(path=script.path, problem=problem)
    count = len(recorded.values)
    if digest(recorded.values) != recorded.digest:
        return Again(path=script.path, facts=count, forged=True)
    try:
        facts = read(script)
    except EvidenceError as error:
        return Again(path=script.path, facts=count, problem=sentence_of(error))
    return Again(path=script.path, facts=count, differences=differences(recorded, facts))


def status(found: tuple[Again, ...]) -> int:
    """The exit status: 0 unchanged, 1 something differs, 3 something could not be compared."""
    if any(each.differences or each.forged for each in found):
        return 1
    return 3 if not found or any(each.problem for each in found) else 0


def as_json(found: tuple[Again, ...]) -> list[Mapping[str, object]]:
    """For `--format json`."""
    return [
        {
            "path": each.path,
            "unchanged": not (each.differences or each.forged or each.problem),
            "facts": each.facts,
            "differences": [
                {"fact": d.fact, "before": d.before, "now": d.now} for d in each.differences
            ],
            "report_edited": each.forged,
            "problem": each.problem,
        }
        for each in found
    ]
