"""Counts and words for what a change of a framework's configuration breaks."""

from __future__ import annotations

from bot.render.speech import counted, tr
from bot.render.words import SCRIPT
from bot.report import ConfigurationChange, Finding, Report, Unchecked


def new_findings(report: Report) -> list[Finding]:
    """Every new finding, setting by setting."""
    change = report.configuration_change
    return [finding for one in change.broken for finding in one.findings] if change else []


def headlines(report: Report) -> list[str]:
    """The headline, where a change was compared."""
    return [headline(report.configuration_change)] if report.configuration_change else []


def failure(report: Report) -> list[str]:
    """The headline of a change that breaks something."""
    change = report.configuration_change
    return headlines(report) if change is not None and change.verdict == "fail" else []


def not_checked(report: Report) -> tuple[Unchecked, ...]:
    """What could not be compared."""
    change = report.configuration_change
    return change.unchecked if change is not None else ()


def headline(change: ConfigurationChange) -> str:
    """What becomes of the scripts, in one clause."""
    found = (finding for one in change.broken for finding in one.findings)
    broken = {finding.path for finding in found if finding.severity == "error"}
    read = counted(change.scripts, SCRIPT)
    if not broken:
        return tr("the change of the configuration breaks none of {scripts}", scripts=read)
    return tr(
        "the change of the configuration breaks {count} of {scripts}",
        count=f"{len(broken):,}",
        scripts=read,
    )
