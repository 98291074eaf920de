"""The whole result of a call, and the exit status that follows."""

from __future__ import annotations

from typing import Literal

from bot.base.fast_dataclass import dataclass
from bot.base.messages import Language
from bot.report.base import ReportPart, Verdict
from bot.report.broken import ConfigurationChange
from bot.report.estimate import Estimate
from bot.report.evidence import Evidence
from bot.report.findings import Finding, Suppressed, Unchecked
from bot.report.launches import CountedLaunch, LaunchReport, Name, PlanReport
from bot.report.page import PageEdit, PageReport, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptReport(ReportPart):
    """Everything that was found about one script."""

    path: str
    sha256: str
    verdict: Verdict
    name: Name | None = None
    configurations: tuple[str, ...] = ()
    """What the launches were read with, each once: a release with the reason for it, or a folder
    such as `verl/trainer/config of this repository`."""
    launches: tuple[LaunchReport, ...] = ()
    plan: PlanReport | None = None
    counts: CountedLaunch | None = None
    """Null where all launches count, or nobody can know which do."""
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
    evidence: Evidence | None = None
    row: Row | None = None
    page_edit: PageEdit | None = None
    estimate: Estimate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(ReportPart):
    """Which program made the report."""

    name: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(ReportPart):
    """The change that was checked, when it was one."""

    base: str
    """Commit of the base."""
    head: str
    """Commit of the head."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(ReportPart):
    """The whole result of one call."""

    schema: Literal["report-v1"]
    tool: Tool
    verdict: Verdict
    scripts: tuple[ScriptReport, ...] = ()
    pages: tuple[PageReport, ...] = ()
    """Pages that were compared with their scripts."""
    unchecked: tuple[Unchecked, ...] = ()
    change: Change | None = None
    configuration_change: ConfigurationChange | None = None
    """What a change of the framework's configuration breaks, where that was asked for."""
    language: Language = "en"
    """Language of the sentences in it."""


def exit_status(report: Report) -> int:
    """The exit status of a front end: 0 nothing wrong, 1 wrong, 3 something not checked."""
    return {"pass": 0, "fail": 1, "inconclusive": 3}[report.verdict]
