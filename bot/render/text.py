"""The report for a terminal: each script with what was found, then what was not checked, a summary.

What many scripts have in common is said once. The sentences are `bot.render.wording`'s, which the
comment on a pull request has too.
"""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.base.secret_values import masked
from bot.render import wording
from bot.render.columns import excerpt, padded
from bot.render.escape import terminal
from bot.render.places import lines_of, shown_place, way_out
from bot.render.speech import counted, speaking, tr, word
from bot.render.words import CLAIM, CLAIM_IS, ROW, SCRIPT
from bot.report import (
    Claim,
    Evidence,
    Finding,
    LaunchReport,
    PageReport,
    Report,
    ScriptReport,
    Suppressed,
    Unchecked,
)

Style: TypeAlias = Literal["error", "warning", "note", "path", "dim", "good"]
_Cause: TypeAlias = tuple[str, str, str, str]
_SGR: Mapping[Style, str] = {
    "error": "31;1",
    "warning": "33",
    "note": "36",
    "path": "1",
    "dim": "2",
    "good": "32",
}
_CLAIM: Mapping[str, Style] = {
    "consistent": "good",
    "inconsistent": "error",
    "inconclusive": "warning",
}
_LABEL = 10
_ALIKE = 4
"""Claims left open for one reason that are said together."""
_MANY = 5
"""Scripts of which nothing else is shown that one check left open: a folder has many helpers. As
many with the same finding have it said once."""
_NAMED = 3
_CLAIMS_NAMED = 6
"""Claims that are open for one reason: behind the names of forty nobody finds it."""
_GUTTER = "     │ "
_HIDDEN = "RLB093"
"""The rule whose findings are what must not be shown."""
_WIDTH = 100
"""Columns of a source line; a longer one is cut."""


def text(
    report: Report,
    *,
    sources: Mapping[str, str] | None = None,
    color: bool = False,
    verbose: bool = False,
    run_given: bool = False,
) -> str:
    """The report in lines, with a line end; ANSI colours only with `color`.

    `sources` maps a script's path to its text: with it, each finding shows its line with the
    exact columns underlined. Notes, consistent claims and the sources of versions are counted
    unless `verbose`. Where no evidence could be read, the text says how to give some, unless
    `run_given`: a run was named.
    """
    with speaking(report.language):
        lines: list[str] = []
        painter = _Painter(color)
        common = {} if verbose else _common(report.scripts)
        view = _View(_without_tokens(sources or {}, report), painter, verbose, run_given, common)
        shown = {script.path: _script(script, view) for script in report.scripts}
        alike = {} if verbose else _unchecked_alike(report.scripts, shown)
        gathered = {path for paths in alike.values() for path in paths}
        for path, own in shown.items():
            # A path with nothing below it would only push what matters out of sight.
            lines += [*own, ""] if len(own) > 1 and path not in gathered else []
        for by_script in common.values():
            lines += [*_once(by_script, view), ""]
        for check, paths in alike.items():
            lines += [*_gathered(check, paths, painter), ""]
        if report.configuration_change is not None:
            from bot.render import configuration_change  # a lint of scripts has none

            changed = configuration_change.lines(report.configuration_change, painter)
            lines += [line for block in changed for line in (*block, "")]
        for page in report.pages:
            lines += _page(page, view)
            lines.append("")
        for item in report.unchecked:
            lines.append(tr("not checked: {what}", what=_unchecked(item)))
        lines += [""] if report.unchecked else []
        lines.append(_summary(report, verbose))
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class _View:
    """How a report is shown."""

    sources: Mapping[str, str]
    paint: _Painter
    verbose: bool
    run_given: bool
    common: Container[_Cause] = ()
    """What is said once, for all scripts."""


class _Painter:
    """Adds colour, or does not."""

    def __init__(self, color: bool) -> None:
        self._color = color

    def __call__(self, style: Style, what: str) -> str:
        return f"\x1b[{_SGR[style]}m{what}\x1b[0m" if self._color and what else what


def _script(script: ScriptReport, view: _View) -> list[str]:
    lines, verbose = _findings(script, view), view.verbose
    if script.uses:
        used = wording.named(script.uses, _NAMED)
        lines = [*_entry(tr("change"), tr("unaltered; uses {files}", files=used)), *lines]
    if verbose:
        lines += _suppressed(script.suppressed)
        lines += _launches(script.launches)
    if script.counts and (verbose or script.evidence or script.row or script.estimate):
        lines += _entry(tr("counts"), wording.counted_launch(script.counts))
    if script.evidence:
        lines += _evidence(script.evidence, view.paint, verbose)
    if script.estimate and script.estimate.stages:
        from bot.render.estimates import headline  # as most scripts have none

        lines += _entry(tr("memory"), headline(script.estimate, script.evidence))
    for index, item in enumerate(script.unchecked):
        lines += _entry(tr("unchecked") if not index else "", _unchecked(item))
    lacking = script.evidence is None and not view.run_given
    if lacking and any(item.check == "evidence" for item in script.unchecked):
        lines += _entry("", tr("A run's folder or link can also be given with --run."))
    lines += _row(script)
    if lines:
        lines += _entry(tr("read with"), *script.configurations)
    return [view.paint("path", terminal(script.path)), *lines]


def _launches(launches: Sequence[LaunchReport]) -> list[str]:
    """Where each stands; of several with its number, by which `rlbot resolve` shows it."""
    lines: list[str] = []
    for number, launch in enumerate(launches, start=1):
        place = tr("line {line}, {version}", line=launch.line, version=launch.framework)
        if (count := len(launches)) > 1:
            place = tr("{number} of {count}, {place}", number=number, count=count, place=place)
        lines += _entry(tr("launch"), place)
    return lines


def _unchecked_alike(
    scripts: Iterable[ScriptReport], shown: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    """Check to the paths of scripts of which nothing is shown but that it could not check them."""
    found: dict[str, list[str]] = {}
    for script in scripts:
        if len(script.unchecked) == 1 and len(shown[script.path]) == 2:
            found.setdefault(script.unchecked[0].check, []).append(script.path)
    return {check: paths for check, paths in found.items() if len(paths) >= _MANY}


def _gathered(check: str, paths: list[str], paint: _Painter) -> list[str]:
    what = tr("{what}: {why}", what=word(check), why=wording.named(paths, _NAMED))
    return [
        paint("path", counted(len(paths), SCRIPT)),
        *_entry(tr("unchecked"), what, tr("--verbose says why, of each.")),
    ]


def _cause(finding: Finding) -> _Cause:
    """What is the same in findings that are said together; a new name is each script's own."""
    own = finding.path if finding.rename else ""
    return finding.severity, finding.id, finding.message, own


def _common(scripts: Iterable[ScriptReport]) -> dict[_Cause, dict[str, list[Finding]]]:
    """The findings that many scripts have, by script; errors first."""
    causes: dict[_Cause, dict[str, list[Finding]]] = {}
    for script in scripts:
        for finding in wording.by_place(f for f in script.findings if f.severity != "note"):
            causes.setdefault(_cause(finding), {}).setdefault(script.path, []).append(finding)
    many = [cause for cause, scripts_of in causes.items() if len(scripts_of) >= _MANY]
    return {cause: causes[cause] for cause in sorted(many, key=lambda cause: cause[0])}


def _once(by_script: Mapping[str, list[Finding]], view: _View) -> list[str]:
    same = [finding for findings in by_script.values() for finding in findings]
    first, paint = same[0], view.paint
    # A file that several scripts source is one place.
    places = list(dict.fromkeys(f"{finding.path}:{finding.line}" for finding in same))
    severity = paint(first.severity, padded(tr(first.severity), 7))
    lines = [
        paint("path", counted(len(by_script), SCRIPT)),
        f"  {severity}  {terminal(first.id)}  {terminal(first.message)}",
        *_excerpt(first, view),
    ]
    if (way := way_out(first)) and all(way_out(finding) == way for finding in same):
        lines.append(paint("dim", _GUTTER) + terminal(way))
    return lines + _entry(tr("at"), wording.named(places, _NAMED), tr("--verbose shows each."))


def _page(page: PageReport, view: _View) -> list[str]:
    rows, scripts = counted(page.rows, ROW), counted(page.scripts, SCRIPT)
    what, path = wording.listed((rows, scripts)), view.paint("path", terminal(page.path))
    lines = [tr("{what}: {why}", what=path, why=what)]
    lines += _findings(page, view)
    for index, item in enumerate(page.unchecked):
        lines += _entry(tr("unchecked") if not index else "", _unchecked(item))
    return lines


def _findings(report: ScriptReport | PageReport, view: _View) -> list[str]:
    paint = view.paint
    lines: list[str] = []
    found = wording.by_place(f for f in report.findings if view.verbose or f.severity != "note")
    found = [finding for finding in found if _cause(finding) not in view.common]
    digits = max((len(str(f.line)) for f in found), default=0)
    after = max((len(str(f.column)) for f in found), default=0)
    for finding in found:
        where = f"{finding.line:>{digits}}:{finding.column:<{after}}"
        if finding.cell is not None:
            where = shown_place(finding)
        if finding.path != report.path:
            where = f"{terminal(finding.path)}:{where.strip()}"
        severity = paint(finding.severity, padded(tr(finding.severity), 7))
        lines.append(f"  {where}  {severity}  {terminal(finding.id)}  {terminal(finding.message)}")
        lines += _excerpt(finding, view)
        lines += [paint("dim", _GUTTER) + terminal(way)] if (way := way_out(finding)) else []
        lines += [paint("dim", _GUTTER) + terminal(wording.move(finding))] if finding.rename else []
    return lines


def _entry(label: str, *what: str) -> list[str]:
    head = f"  {padded(label, _LABEL)} "
    blank = " " * (_LABEL + 3)
    return [f"{head if not index else blank}{terminal(w)}" for index, w in enumerate(what)]


def _suppressed(suppressed: Iterable[Suppressed]) -> list[str]:
    lines: list[str] = []
    for one in suppressed:
        found = one.finding
        what = tr(
            "{line}:{column} {id}, by line {comment} ({reason}): {message}",
            line=found.line,
            column=found.column,
            id=found.id,
            comment=one.line,
            reason=one.reason,
            message=found.message,
        )
        lines += _entry(tr("suppressed") if not lines else "", what)
    return lines


def _without_tokens(sources: Mapping[str, str], report: Report) -> Mapping[str, str]:
    """The scripts with stars for the tokens that were found in them."""
    found = [one for script in report.scripts for one in script.findings if one.id == _HIDDEN]
    shown = dict(sources)
    for one in found:
        name, first, last = lines_of(one)
        lines = shown[name].split("\n") if name in shown else []
        if 0 < first <= len(lines) and last == first:
            line, start, end = lines[first - 1], one.column - 1, one.end_column - 1
            lines[first - 1] = line[:start] + "*" * (end - start) + line[end:]
            shown[name] = "\n".join(lines)
    return shown


def _excerpt(finding: Finding, view: _View) -> Iterable[str]:
    name, first, last = lines_of(finding)
    source, paint = view.sources.get(name), view.paint
    lines = source.split("\n") if source is not None else []
    place = (finding.line, finding.column, finding.end_line, finding.end_column)
    # What a program is given on its command line stands nowhere in it; of a notebook that is no
    # code but JSON.
    nowhere = finding.path.endswith(".py") and place == (1, 1, 1, 1)
    nowhere = nowhere or (finding.path.endswith(".ipynb") and finding.cell is None)
    if nowhere or not 0 < first <= len(lines):
        return []
    line = masked(lines[first - 1].rstrip("\r"))
    end = finding.end_column if last == first else len(line) + 1
    shown, underline = excerpt(line, finding.column - 1, end - 1, _WIDTH - len(_GUTTER))
    gutter = paint("dim", _GUTTER)
    mark = len(underline) - len(underline.lstrip(" "))
    return [
        f"{gutter}{shown}",
        f"{gutter}{' ' * mark}{paint(finding.severity, underline[mark:])}",
    ]


def _evidence(evidence: Evidence, paint: _Painter, verbose: bool) -> list[str]:
    state = paint(_CLAIM[evidence.verdict], tr(evidence.verdict))
    figures = wording.phrases(wording.measured(evidence))
    source = terminal(evidence.source) + (
        f", {terminal(evidence.run.url)}" if evidence.run.url else ""
    )
    if figures:
        state = tr("{what}: {why}", what=state, why=figures)
    head = f"  {padded(tr('run'), _LABEL)} {state}"
    lines = [tr("{what} ({source})", what=head, source=source) if source else head]
    open_ = wording.not_consistent(evidence)
    settled = wording.claims(evidence, "consistent")
    shown = [[claim] for claim in (*open_, *settled)] if verbose else _by_reason(open_)
    for claims in shown:
        verdict = claims[0].verdict
        mark = paint(_CLAIM[verdict], padded(tr(verdict), 12))
        lines.append(f"{' ' * (_LABEL + 3)}{mark}  {terminal(_claims(claims))}")
    if settled and not verbose:
        count = counted(len(settled), CLAIM_IS)
        lines += _entry("", tr("{claims} consistent", claims=count))
    return lines


def _by_reason(claims: list[Claim]) -> list[list[Claim]]:
    """The claims one by one, and those together that a run leaves open for one reason."""
    open_ = [c.reason for c in claims if c.verdict == "inconclusive" and c.observed is None]
    found: dict[object, list[Claim]] = {}
    for at, claim in enumerate(claims):
        together = claim.verdict == "inconclusive" and claim.observed is None
        alike = together and open_.count(claim.reason) >= _ALIKE
        found.setdefault(claim.reason if alike else at, []).append(claim)
    return [*found.values()]


def _claims(claims: list[Claim]) -> str:
    if len(claims) == 1:
        return _claim(claims[0])
    names = wording.named([word(claim.claim) for claim in claims], _CLAIMS_NAMED)
    counts = tr("{what} ({source})", what=counted(len(claims), CLAIM), source=names)
    return tr("{what}: {why}", what=counts, why=wording.sentence(claims[0].reason))


def _claim(claim: Claim) -> str:
    what = wording.contradiction(claim)
    if claim.source:
        what = tr("{what} ({source})", what=what, source=wording.origin(claim.source))
    if claim.verdict == "consistent":
        return what
    return tr("{what}: {why}", what=what, why=wording.sentence(claim.reason))


def _unchecked(item: Unchecked) -> str:
    return terminal(wording.not_checked(item))


def _row(script: ScriptReport) -> list[str]:
    row, edit = script.row, script.page_edit
    if row is None:
        return []
    cells = wording.row_cells(row, script.evidence)
    what = [" · ".join(filter(None, cells)), *map(wording.sentence, row.notes)]
    if edit is None:
        return _entry(tr("row"), *what)
    place = {"path": edit.path, "section": edit.section}
    if edit.action == "none":
        return _entry(tr("row"), *what, tr("{path} already has it, in section {section}.", **place))
    if edit.action == "replace":
        what.append(tr("replaces a row in section {section} of {path}; to paste:", **place))
    else:
        what.append(tr("new in section {section} of {path}; to paste:", **place))
    # Printed as it stands in the page, so that it can be copied with its indentation.
    return _entry(tr("row"), *what) + [terminal(line) for line in edit.rst.splitlines()]


def _summary(report: Report, verbose: bool) -> str:
    summary = wording.summary(report, hidden="" if verbose else tr(" (--verbose shows them)"))
    fixes = [f.fix for f in wording.all_findings(report) if f.fix]
    safe = sum(fix.safe for fix in fixes)
    command = f"rlbot {'lint' if report.scripts else 'table check'} --fix"
    if fixes and (report.scripts or report.pages):
        certain = f"{safe or len(fixes):,}"
        named = {one.path for one in report.scripts} | {one.path for one in report.pages}
        fixed = sorted(named & {f.path for f in wording.all_findings(report) if f.fix})
        words = [command, *([] if safe else ["--unsafe"])]
        if len(fixed) == 1:
            words.append(shlex.quote(fixed[0]))
        command = terminal(" ".join(words))
        summary += tr(" {count} can be fixed: {command}", count=certain, command=command)
        if 0 < safe < len(fixes):
            summary += tr(" ({count} more with --unsafe)", count=f"{len(fixes) - safe:,}")
    return summary
