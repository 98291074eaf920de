"""What a change of the framework's configuration breaks: scripts are read under both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.check.read import read_script
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_read
from bot.check.translate import in_language
from bot.check.verdicts import verdict_of, worst
from bot.report import BrokenSetting, ConfigurationChange, Finding, Report, Unchecked
from bot.rules._support.base import RuleContext
from bot.rules._support.registry import RULES


@dataclass(frozen=True, slots=True)
class ScriptChange:
    """What one script has under the new configuration alone."""

    path: str
    read: bool
    """Whether it has a launch under either."""
    found: tuple[tuple[str | None, Finding], ...] = ()
    """The errors and warnings, each with the setting that it stands on."""
    refused: bool = False
    """Whether the framework refused it before, too."""
    unchecked: tuple[Unchecked, ...] = ()


def script_change(script: ScriptFile, before: CheckOptions, after: CheckOptions) -> ScriptChange:
    """Compare what is wrong with a script under two configurations.

    A finding is new where the old configuration has no error at the same place, or for a warning
    nothing of the same rule. Raises what `check_script` raises.
    """
    before, after = replace(before, evidence="off"), replace(after, evidence="off")
    context = read_script(script, after)
    if not context.plans:
        return ScriptChange(script.path, read=False)
    now = check_read(script, context, after).report
    context_before = read_script(script, before)
    old = check_read(script, context_before, before).report
    keys = _keys(context)
    new = [(keys.get((f.line, f.column)), f) for f in _new_findings(old.findings, now.findings)]
    open_before = {item.check for item in old.unchecked}
    unchecked = [item for item in now.unchecked if item.check not in open_before]
    if new and _unknown(context_before):
        new = []
        why = message("what its launches took before the change is not known")
        unchecked = [Unchecked(check=script.path, reason=why)]
    return ScriptChange(
        script.path,
        read=True,
        found=tuple(new),
        refused=any(f.severity == "error" and RULES.find(f.id).meta.refusal for f in old.findings),
        unchecked=tuple(unchecked),
    )


def configuration_change(scripts: Iterable[ScriptChange]) -> ConfigurationChange:
    """What the change breaks in all scripts, by setting and rule."""
    every = [script for script in scripts if script.read]
    groups: dict[tuple[str, str | None], list[Finding]] = {}
    for script in every:
        for key, finding in script.found:
            if not script.refused:
                groups.setdefault((finding.id, key), []).append(finding)
    by_size = sorted(groups.items(), key=lambda group: -len({f.path for f in group[1]}))
    unchecked = tuple(item for script in every for item in script.unchecked)
    return ConfigurationChange(
        verdict=verdict_of(chain.from_iterable(groups.values()), unchecked),
        scripts=len(every),
        broken=tuple(BrokenSetting(key=key, findings=tuple(found)) for (_, key), found in by_size),
        refused=tuple(
            script.path
            for script in every
            if script.refused and any(f.severity == "error" for _, f in script.found)
        ),
        unchecked=unchecked,
    )


def with_change(report: Report, change: ConfigurationChange) -> Report:
    """The report with what the change of the configuration breaks; the worst verdict is its."""
    return replace(
        report,
        verdict=worst((report.verdict, change.verdict)),
        configuration_change=in_language(change, report.language),
    )


def _new_findings(old: Iterable[Finding], now: Iterable[Finding]) -> list[Finding]:
    before = {(f.id, f.line, f.column) for f in old}
    errors = {(f.line, f.column) for f in old if f.severity == "error"}
    return [
        f
        for f in now
        if (f.severity == "error" and (f.line, f.column) not in errors)
        or (f.severity == "warning" and (f.id, f.line, f.column) not in before)
    ]


def _keys(context: RuleContext) -> dict[tuple[int, int], str]:
    """The place of each key and value of a script's launches to the setting."""
    return {
        context.source.line_column(span.start): setting.key
        for plan in context.plans
        for setting in plan.settings
        for span in (setting.value_span, setting.key_span)
    }


def _unknown(context: RuleContext) -> bool:
    """Whether the settings of a launch could not be looked up."""
    return any(plan.table is None and plan.configuration.problem is None for plan in context.plans)
