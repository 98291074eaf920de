"""The report for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from bot.render import wording
from bot.render.columns import excerpt
from bot.render.escape import terminal
from bot.report import (
    Claim,
    Evidence,
    Finding,
    PageEdit,
    PageReport,
    Report,
    Row,
    ScriptReport,
    Unchecked,
)

Style: TypeAlias = Literal["error", "warning", "note", "path", "dim", "good"]
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
_GUTTER = "     │ "


def text(
    report: Report,
    *,
    sources: Mapping[str, str] | None = None,
    color: bool = False,
    verbose: bool = False,
    width: int = 100,
) -> str:
    """The report in lines, with a line end; ANSI colours only with `color`.

    `sources` maps a script's path to its text: with it, each finding shows its line with the
    exact columns underlined. `width` is the terminal's, in columns; only source lines are cut to
    it, since the end of a message matters. Notes, consistent claims and the sources of versions
    are counted unless `verbose`.
    """
    lines: list[str] = []
    painter = _Painter(color)
    for script in report.scripts:
        lines += _script(script, sources or {}, painter, verbose, width)
        lines.append("")
    for page in report.pages:
        lines += _page(page, sources or {}, painter, verbose, width)
        lines.append("")
    lines += [f"not checked: {_unchecked(item)}" for item in report.unchecked]
    lines += [""] if report.unchecked else []
    lines.append(_summary(report, verbose))
    return "\n".join(lines) + "\n"


class _Painter:
    """Adds colour, or does not."""

    def __init__(self, color: bool) -> None:
        self._color = color

    def __call__(self, style: Style, what: str) -> str:
        return f"\x1b[{_SGR[style]}m{what}\x1b[0m" if self._color and what else what


def _script(
    script: ScriptReport,
    sources: Mapping[str, str],
    paint: _Painter,
    verbose: bool,
    width: int,
) -> list[str]:
    lines = [paint("path", terminal(script.path))]
    lines += _findings(script.findings, sources, paint, verbose, width)
    if verbose:
        for launch in script.launches:
            version = f"{launch.framework} {launch.framework_version}".strip()
            why = launch.framework_version_reason
            lines += _entry(
                "launch", f"line {launch.line}, {version}" + (f": {why}" if why else "")
            )
    if script.evidence:
        lines += _evidence(script.evidence, paint, verbose)
    for index, item in enumerate(script.unchecked):
        lines += _entry("unchecked" if not index else "", _unchecked(item))
    if script.row:
        lines += _row(script.row, script.page_edit)
    return lines


def _page(
    page: PageReport, sources: Mapping[str, str], paint: _Painter, verbose: bool, width: int
) -> list[str]:
    rows, scripts = wording.counted(page.rows, "row"), wording.counted(page.scripts, "script")
    lines = [f"{paint('path', terminal(page.path))}: {rows}, {scripts}"]
    lines += _findings(page.findings, sources, paint, verbose, width)
    for index, item in enumerate(page.unchecked):
        lines += _entry("unchecked" if not index else "", _unchecked(item))
    return lines


def _findings(
    findings: Iterable[Finding],
    sources: Mapping[str, str],
    paint: _Painter,
    verbose: bool,
    width: int,
) -> list[str]:
    lines: list[str] = []
    found = wording.by_place(f for f in findings if verbose or f.severity != "note")
    digits = max((len(str(f.line)) for f in found), default=0)
    after = max((len(str(f.column)) for f in found), default=0)
    for finding in found:
        where = f"{finding.line:>{digits}}:{finding.column:<{after}}"
        severity = paint(finding.severity, f"{finding.severity:<7}")
        lines.append(f"  {where}  {severity}  {terminal(finding.id)}  {terminal(finding.message)}")
        lines += _excerpt(finding, sources.get(finding.path), paint, width)
        lines += [paint("dim", _GUTTER) + terminal(finding.help)] if finding.help else []
    return lines


def _entry(label: str, *what: str) -> list[str]:
    head = f"  {label:<{_LABEL}} "
    return [
        f"{head if not index else ' ' * len(head)}{terminal(w)}" for index, w in enumerate(what)
    ]


def _excerpt(finding: Finding, source: str | None, paint: _Painter, width: int) -> Iterable[str]:
    lines = source.split("\n") if source is not None else []
    if not 0 < finding.line <= len(lines):
        return []
    line = lines[finding.line - 1].rstrip("\r")
    end = finding.end_column if finding.end_line == finding.line else len(line) + 1
    shown, underline = excerpt(line, finding.column - 1, end - 1, width - len(_GUTTER))
    gutter = paint("dim", _GUTTER)
    mark = len(underline) - len(underline.lstrip(" "))
    return [
        f"{gutter}{shown}",
        f"{gutter}{' ' * mark}{paint(finding.severity, underline[mark:])}",
    ]


def _evidence(evidence: Evidence, paint: _Painter, verbose: bool) -> list[str]:
    state = paint(_CLAIM[evidence.verdict], evidence.verdict)
    figures = ", ".join(wording.measured(evidence))
    source = terminal(evidence.source) + (
        f", {terminal(evidence.run.url)}" if evidence.run.url else ""
    )
    head = f"  {'run':<{_LABEL}} {state}" + (f": {figures}" if figures else "")
    lines = [f"{head} ({source})" if source else head]
    open_ = wording.not_consistent(evidence)
    settled = [claim for claim in evidence.claims if claim.verdict == "consistent"]
    for claim in [*open_, *(settled if verbose else ())]:
        mark = paint(_CLAIM[claim.verdict], f"{claim.verdict:<12}")
        lines.append(f"{' ' * (_LABEL + 3)}{mark}  {terminal(_claim(claim))}")
    if settled and not verbose:
        count = wording.counted(len(settled), "claim is", "claims are")
        lines += _entry("", f"{count} consistent")
    return lines


def _claim(claim: Claim) -> str:
    source = f" ({claim.source})" if claim.source else ""
    said = f"{wording.contradiction(claim)}{source}"
    return said if claim.verdict == "consistent" else f"{said}: {wording.sentence(claim.reason)}"


def _unchecked(item: Unchecked) -> str:
    return terminal(f"{item.check}: {wording.sentence(item.reason)}")


def _row(row: Row, edit: PageEdit | None) -> list[str]:
    what = [" · ".join(wording.row_cells(row)), *map(wording.sentence, row.notes)]
    if edit is None:
        return _entry("row", *what)
    if edit.action == "none":
        return _entry("row", *what, f"{edit.path} already has it, in section {edit.section}.")
    verb = "replaces a row" if edit.action == "replace" else "new"
    what.append(f"{verb} in section {edit.section} of {edit.path}; to paste:")
    # Printed as it stands in the page, so that it can be copied with its indentation.
    return _entry("row", *what) + [terminal(line) for line in edit.rst.splitlines()]


def _summary(report: Report, verbose: bool) -> str:
    if not report.scripts and not report.pages:
        return "No scripts were checked."
    findings = [finding for script in report.scripts for finding in script.findings]
    findings += [finding for page in report.pages for finding in page.findings]
    count = wording.severities(findings)
    said = [wording.counted(count[each], each) for each in wording.ORDER if count[each]]
    hidden = " (--verbose shows them)" if count["note"] and not verbose else ""
    parts = [", ".join(said) + hidden if said else "nothing found"]
    claims = [c for s in report.scripts for c in wording.not_consistent(s.evidence)]
    for state in ("inconsistent", "inconclusive"):
        number = sum(claim.verdict == state for claim in claims)
        parts += [wording.counted(number, f"{state} claim")] if number else []
    open_ = len(wording.unchecked(report))
    parts += [f"{open_:,} not checked"] if open_ else []
    what = [wording.counted(len(report.scripts), "script")] if report.scripts else []
    what += [wording.counted(len(report.pages), "page")] if report.pages else []
    return f"{wording.join(what)}: {'; '.join(parts)}."
