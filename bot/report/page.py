"""The documentation page: the row, the edit, and what is wrong with the page."""

from __future__ import annotations

from typing import Literal

from bot.base.fast_dataclass import dataclass
from bot.report.base import ReportPart, Verdict
from bot.report.findings import Finding, Unchecked

OPEN = "\\"
"""What the page has in a cell that nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(ReportPart):
    """A row of the tuning page; a cell that cannot be known holds a backslash."""

    tag: str
    model: str
    task: str
    resource: str
    max_batch: str
    train: str
    infer: str
    link: str
    """Address of the script, a permalink where the commit is known."""
    contributor: str
    notes: tuple[str, ...] = ()
    """Why a cell is unknown, a sentence for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEdit(ReportPart):
    """The exact edit of the documentation page that adds or replaces the row."""

    path: str
    section: str
    """Heading of the section, such as 7B."""
    action: Literal["add", "replace", "none"]
    rst: str
    """The row as reStructuredText, to paste."""
    patch: str
    """Unified diff of the page; empty when nothing changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReport(ReportPart):
    """What was found about the documentation page, compared with the scripts of its repository."""

    path: str
    sha256: str
    verdict: Verdict
    rows: int
    """Rows that say something."""
    scripts: int
    """Tuning scripts of the repository."""
    findings: tuple[Finding, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
