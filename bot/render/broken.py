"""Counts and words for what a change of a framework's configuration breaks."""

from __future__ import annotations

from bot.render.speech import counted, tr
from bot.render.words import SCRIPT
from bot.report import ConfigurationChange, Finding, Unchecked


def new_findings(change: ConfigurationChange | None) -> list[Finding]:
    """Every new finding, setting by setting."""
    return [finding for one in change.broken for finding in one.findings] if change else []


def failure(change: ConfigurationChange | None) -> list[str]:
    """The headline of a change that breaks something."""
    return [headline(change)] if change is not None and change.verdict == "fail" else []


def not_checked(change: ConfigurationChange | None) -> tuple[Unchecked, ...]:
    """What could not be compared."""
    return change.unchecked if change is not None else ()


def headline(change: ConfigurationChange) -> str:
    """What becomes of the scripts, in one clause."""
    broken = {f.path for f in new_findings(change) if f.severity == "error"}
    read = counted(change.scripts, SCRIPT)
    if not broken:
        return tr("the change of the configuration breaks none of {scripts}", scripts=read)
    return tr(
        "the change of the configuration breaks {count} of {scripts}",
        count=f"{len(broken):,}",
        scripts=read,
    )
