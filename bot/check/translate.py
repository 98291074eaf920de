"""A script's report in another language: every sentence that was made with `say` is said again.

The sentences come from catalogues: a rule's own (`Meta.zh.sentences`) for what it found or could
not check, those of CATALOGUES for all else. A room that makes sentences adds the module of its
catalogue there: a mapping SENTENCES from English templates to Chinese ones. What has no translation
stays English. Names that programs read (claims, checks, settings) are never translated here;
renderers show them in their own words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Final

from bot.base.messages import Language, translated
from bot.report import (
    Estimate,
    Evidence,
    Finding,
    Fix,
    LaunchReport,
    PageReport,
    Row,
    ScriptReport,
    Unchecked,
)
from bot.rules._support.registry import lookup

CATALOGUES: Final = (
    "bot.base.chinese",
    "bot.evidence.zh",
    "bot.evidence.zh_reading",
    "bot.evidence.online.zh",
    "bot.github.zh",
    "bot.memory.zh",
    "bot.table.zh",
)


def in_language(report: ScriptReport, language: Language) -> ScriptReport:
    """The report with its sentences in `language`; English is what it holds already."""
    if language == "en":
        return report
    return replace(
        report,
        findings=tuple(_finding(finding) for finding in report.findings),
        suppressed=tuple(replace(one, finding=_finding(one.finding)) for one in report.suppressed),
        unchecked=unchecked_in_language(report.unchecked, language),
        launches=tuple(_launch(launch) for launch in report.launches),
        evidence=_evidence(report.evidence) if report.evidence else None,
        estimate=_estimate(report.estimate) if report.estimate else None,
        row=_row(report.row) if report.row else None,
    )


def page_in_language(report: PageReport, language: Language) -> PageReport:
    """As `in_language`, for a page."""
    if language == "en":
        return report
    return replace(
        report,
        findings=tuple(_finding(finding) for finding in report.findings),
        unchecked=unchecked_in_language(report.unchecked, language),
    )


def unchecked_in_language(
    items: tuple[Unchecked, ...], language: Language
) -> tuple[Unchecked, ...]:
    """What could not be checked, with the reasons in `language`."""
    if language == "en":
        return items
    return tuple(
        replace(item, reason=_said(item.reason, item.check.partition(" ")[0])) for item in items
    )


def in_words(sentence: str, language: Language) -> str:
    """One sentence in `language`, by the catalogues of CATALOGUES."""
    return str(sentence) if language == "en" else _said(sentence)


@cache
def _sentences(rule: str = "") -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name in CATALOGUES:
        found.update(import_module(name).SENTENCES)
    known = lookup(rule) if rule else None
    if known is not None and known.meta.zh is not None:
        found.update(known.meta.zh.sentences)
    elif rule and known is None:
        found.update(_page_sentences(rule))
    return found


def _page_sentences(check: str) -> Mapping[str, str]:
    """The sentences of a check of the page, with those of the rule that one of them quotes."""
    from bot.table.checks._support.registry import find

    known, quoted = find(check), lookup("trial-log")
    if known is None:
        return {}
    also = quoted.meta.zh.sentences if quoted and quoted.meta.zh else {}
    return {**also, **known.meta.zh.sentences}


def _said(sentence: str, rule: str = "") -> str:
    return translated(sentence, _sentences(rule))


def _finding(finding: Finding) -> Finding:
    fix = finding.fix
    return replace(
        finding,
        message=_said(finding.message, finding.id),
        help=_said(finding.help, finding.id) if finding.help is not None else None,
        fix=_fix(fix, finding.id) if fix else None,
    )


def _fix(fix: Fix, rule: str) -> Fix:
    return replace(fix, title=_said(fix.title, rule))


def _launch(launch: LaunchReport) -> LaunchReport:
    return replace(
        launch,
        framework_version_reason=_said(launch.framework_version_reason),
        assumptions=tuple(_said(assumption) for assumption in launch.assumptions),
    )


def _evidence(evidence: Evidence) -> Evidence:
    claims = tuple(replace(c, reason=_said(c.reason)) for c in evidence.claims)
    return replace(evidence, source=_said(evidence.source), claims=claims)


def _estimate(estimate: Estimate) -> Estimate:
    reason = estimate.reason
    return replace(
        estimate,
        reason=_said(reason) if reason is not None else None,
        assumptions=tuple(_said(assumption) for assumption in estimate.assumptions),
    )


def _row(row: Row) -> Row:
    return replace(row, notes=tuple(_said(note) for note in row.notes))
