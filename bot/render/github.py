"""The report as annotations of GitHub Actions: workflow commands on standard output.

GitHub shows ten annotations of a kind a step and drops the others without a word, so the worst
come first and the last line counts the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bot.base.config import FILE_NAME
from bot.base.fast_dataclass import dataclass
from bot.render import wording
from bot.render.escape import workflow_command, workflow_property
from bot.render.places import PlacedFinding, placed, way_out
from bot.render.sarif import repository_path
from bot.render.speech import counted, speaking, tr
from bot.render.unread import failed_config
from bot.render.words import SEVERITY
from bot.report import Report, ScriptReport

LIMIT: Final = 10
"""Annotations of one kind that GitHub shows for a step."""

_COMMAND: Final = {"error": "error", "warning": "warning", "note": "notice"}


@dataclass(frozen=True, slots=True)
class _Annotation:
    kind: str
    properties: tuple[tuple[str, str], ...]
    message: str

    def line(self) -> str:
        properties = ",".join(f"{key}={workflow_property(value)}" for key, value in self.properties)
        return f"::{self.kind} {properties}::{workflow_command(self.message)}"


def github(report: Report, *, prefix: str = "") -> str:
    """Errors, then warnings, then notices, ten of each; then a line that counts everything.

    `prefix` is the folder, relative to the repository's root, that relative paths start from.
    """
    with speaking(report.language):
        made: dict[str, list[_Annotation]] = {kind: [] for kind in _COMMAND.values()}
        for each in _annotations(report, prefix):
            made[each.kind].append(each)
        lines = [each.line() for kind in made.values() for each in kind[:LIMIT]]
        left = {kind: len(kind_made) - LIMIT for kind, kind_made in made.items()}
        return "\n".join([*lines, _summary_line(report, left)]) + "\n"


def _annotations(report: Report, prefix: str) -> Iterator[_Annotation]:
    for script in wording.worst_first(report.scripts):
        yield from _claims(script, prefix)
    for one in placed(report):
        yield _finding(one, prefix)
    failing = failed_config(report)
    for item in failing:
        place = (("file", FILE_NAME), ("line", "1"))
        yield _Annotation("error", place, wording.sentence(item.reason))
    for checked, item in wording.unchecked(report):
        if item in failing:
            continue
        title = (("title", tr("not checked")),)
        where = (("file", repository_path(prefix, checked.path)), ("line", "1")) if checked else ()
        yield _Annotation("warning", (*where, *title), wording.not_checked(item))


def _finding(one: PlacedFinding, prefix: str) -> _Annotation:
    finding = one.finding
    place = [("file", repository_path(prefix, finding.path)), ("line", str(finding.line))]
    if one.altered is not None:
        place = [("file", one.altered.path), ("line", str(one.altered.line))]
    elif finding.end_line > finding.line:
        place.append(("endLine", str(finding.end_line)))
    else:
        # Columns count for a single line alone. The last character is inside the stretch whether
        # GitHub takes the end as exclusive or not.
        last = max(finding.column, finding.end_column - 1)
        place += [("col", str(finding.column)), ("endColumn", str(last))]
    way = finding.help if one.altered is not None else way_out(finding)
    more = [way] if way else []
    more += [wording.move(finding)] if finding.rename else []
    more += [one.user] if one.altered is not None else []
    title = ("title", f"{finding.id} {finding.slug}")
    return _Annotation(
        _COMMAND[finding.severity], (*place, title), "\n".join([finding.message, *more])
    )


def _claims(script: ScriptReport, prefix: str) -> Iterator[_Annotation]:
    for claim in wording.not_consistent(script.evidence):
        line = script.launches[0].line if script.launches else 1
        where = (("file", repository_path(prefix, script.path)), ("line", str(line)))
        contradicted = claim.verdict == "inconsistent"
        title = tr("contradicted by the run") if contradicted else tr("not checked")
        why = wording.sentence(claim.reason)
        text = tr("{what}: {why}", what=wording.contradiction(claim), why=why)
        kind = "error" if contradicted else "warning"
        yield _Annotation(kind, (*where, ("title", title)), text)


def _summary_line(report: Report, left: dict[str, int]) -> str:
    """Counts what was found; nothing of the scripts stands in it, so that it is no command."""
    summary = wording.summary(report)
    hidden = [
        counted(number, SEVERITY[kind])
        for kind, number in zip(("error", "warning", "note"), left.values(), strict=True)
        if number > 0
    ]
    if hidden:
        summary += " " + tr(
            "Not shown as annotations: {what} (GitHub shows {limit} of a kind for a step).",
            what=wording.join(hidden),
            limit=LIMIT,
        )
    return summary
