"""Annotations of a check run: findings at their lines in the files of a pull request."""

from __future__ import annotations

from typing import Any, Literal

from bot.base.fast_dataclass import dataclass
from bot.render import wording
from bot.render.escape import clip, visible
from bot.report import Finding, Report

BATCH = 50
"""Annotations that GitHub takes with one request."""

MOST = 200
"""Annotations of a check run: four requests; the comment and the JSON report hold the others."""

_LEVELS: dict[str, Literal["failure", "warning", "notice"]] = {
    "error": "failure",
    "warning": "warning",
    "note": "notice",
}
_MESSAGE = 2_000
_TITLE = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A sentence at a place; lines start at 1."""

    path: str
    line: int
    end_line: int
    columns: tuple[int, int] | None
    """First and last column, for a place within one line."""
    level: Literal["failure", "warning", "notice"]
    title: str
    message: str

    def as_json(self) -> dict[str, str | int]:
        """As the Checks API takes it."""
        place: dict[str, str | int] = {
            "path": self.path,
            "start_line": self.line,
            "end_line": self.end_line,
        }
        if self.columns:
            place |= {"start_column": self.columns[0], "end_column": self.columns[1]}
        return place | {
            "annotation_level": self.level,
            "title": self.title,
            "message": self.message,
        }

    def as_graphql(self) -> dict[str, Any]:
        """As the mutation `createCheckRun` takes it."""
        first, last = self.columns or (None, None)
        place = {"startLine": self.line, "endLine": self.end_line}
        return {
            "path": self.path,
            "location": {**place, "startColumn": first, "endColumn": last},
            "annotationLevel": self.level.upper(),
            "title": self.title,
            "message": self.message,
        }


def annotations_of(report: Report) -> tuple[tuple[Annotation, ...], int]:
    """The findings of a report as annotations, errors first, and how many are left over."""
    found = wording.by_place(wording.all_findings(report))
    return tuple(map(_annotation, found[:MOST])), max(0, len(found) - MOST)


def _annotation(finding: Finding) -> Annotation:
    columns = None
    if finding.line == finding.end_line:
        last = max(finding.column, finding.end_column - 1)
        columns = (finding.column, last)
    text = finding.message + (f"\n{finding.help}" if finding.help else "")
    return Annotation(
        path=finding.path,
        line=finding.line,
        end_line=max(finding.line, finding.end_line),
        columns=columns,
        level=_LEVELS[finding.severity],
        title=clip(f"{finding.id} {finding.slug}", _TITLE),
        message=clip(visible(text, keep="\n"), _MESSAGE),
    )
