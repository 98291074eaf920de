"""What a change of a framework's configuration breaks, setting by setting."""

from __future__ import annotations

from bot.base.fast_dataclass import dataclass
from bot.report.base import ReportPart, Verdict
from bot.report.findings import Finding, Unchecked


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenSetting(ReportPart):
    """What is newly wrong with one setting, wherever scripts have it."""

    key: str | None
    """The setting; null for findings that stand on none."""
    findings: tuple[Finding, ...]
    """Of one rule, in the order of the scripts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationChange(ReportPart):
    """What scripts have under the new configuration that they did not have under the old one."""

    verdict: Verdict
    scripts: int
    """Scripts with a launch, which were read under both."""
    broken: tuple[BrokenSetting, ...] = ()
    """What concerns most scripts comes first."""
    refused: tuple[str, ...] = ()
    """Scripts with new errors that did not start before either: they do not count."""
    unchecked: tuple[Unchecked, ...] = ()
