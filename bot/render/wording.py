"""Sentences that the terminal and the comment share, before any escaping."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from bot.report import Claim, Evidence, Finding, Report, Row, Scalar, ScriptReport, Unchecked

ORDER = ("error", "warning", "note")
_NEXT_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_WORST_FIRST = {"fail": 0, "inconclusive": 1, "pass": 2}


def counted(number: int, noun: str, many: str = "") -> str:
    """`1 error`, `2 errors`; `many` is the plural where it is not the noun and an s."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def join(parts: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *rest, last = [part for part in parts if part] or [""]
    return f"{', '.join(rest)} and {last}" if rest else last


def sentence(text: str) -> str:
    """`text` with a full stop unless it ends with a mark of its own."""
    stripped = text.strip()
    return stripped if stripped.endswith((".", "?", "!", "。", "？", "！", "…")) else f"{stripped}."


def value(given: Scalar) -> str:
    """A claimed or observed value, as Python writes it but for the quotes."""
    return repr(given) if isinstance(given, float) else str(given)


def by_place(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, then warnings, then notes; each by path, line and column."""
    return sorted(findings, key=lambda f: (ORDER.index(f.severity), f.path, f.line, f.column, f.id))


def worst_first(scripts: Iterable[ScriptReport]) -> list[ScriptReport]:
    """Failed scripts, then those that could not be checked, then the rest; else as given."""
    return sorted(scripts, key=lambda script: _WORST_FIRST[script.verdict])


def severities(findings: Iterable[Finding]) -> Counter[str]:
    """How many findings there are of each severity."""
    return Counter(finding.severity for finding in findings)


def labels(scripts: Iterable[ScriptReport]) -> dict[str, str]:
    """Path to what names the script for a reader: folder and file, or all where two share those."""
    paths = [script.path for script in scripts]
    short = {path: "/".join(path.split("/")[-2:]) for path in paths}
    shared = Counter(short.values())
    return {path: short[path] if shared[short[path]] == 1 else path for path in paths}


def row_cells(row: Row) -> tuple[str, ...]:
    """The cells that describe what was run, without link and contributor."""
    return (row.tag, row.model, row.task, row.resource, row.max_batch, row.train, row.infer)


def not_consistent(evidence: Evidence | None) -> list[Claim]:
    """Claims that the run contradicts, then those it leaves open."""
    claims = evidence.claims if evidence else ()
    return [c for v in ("inconsistent", "inconclusive") for c in claims if c.verdict == v]


def left_open(against: int, open_: int) -> str:
    """`1 claim contradicted, 2 left open`."""
    if not against:
        return f"{counted(open_, 'claim')} left open"
    said = f"{counted(against, 'claim')} contradicted"
    return f"{said}, {open_:,} left open" if open_ else said


def contradiction(claim: Claim) -> str:
    """`max batch claimed 180, observed 176`; a value that is not there is not mentioned."""
    parts = [f"claimed {value(claim.claimed)}"] if claim.claimed is not None else []
    parts += [f"observed {value(claim.observed)}"] if claim.observed is not None else []
    return " ".join(filter(None, (claim.claim, ", ".join(parts))))


def run_summary(evidence: Evidence) -> str:
    """What the run says, in one line, without a full stop."""
    against = [claim for claim in evidence.claims if claim.verdict == "inconsistent"]
    open_ = [claim for claim in evidence.claims if claim.verdict == "inconclusive"]
    if evidence.verdict == "inconsistent":
        said = f"contradicts: {contradiction(against[0])}" if against else "contradicts the script"
        return said + _more(len(against) - 1)
    if evidence.verdict == "inconclusive":
        said = f"inconclusive: {open_[0].reason.rstrip('.')}" if open_ else "inconclusive"
        return said + _more(len(open_) - 1)
    return ": ".join(filter(None, ("consistent", ", ".join(measured(evidence)))))


def _more(number: int) -> str:
    return f" (and {number} more)" if number > 0 else ""


def measured(evidence: Evidence) -> list[str]:
    """The figures of the run: settings that agree, peak memory, steps."""
    parts = []
    if evidence.settings_compared:
        parts.append(f"{evidence.settings_consistent} of {evidence.settings_compared} settings")
    if evidence.peak_gib is not None:
        device = f" of {evidence.device_gib:.1f}" if evidence.device_gib is not None else ""
        parts.append(f"peak {evidence.peak_gib:.1f}{device} GiB")
    if evidence.steps is not None:
        parts.append(counted(evidence.steps, "step"))
    return parts


def unchecked(report: Report) -> list[tuple[ScriptReport | None, Unchecked]]:
    """Everything that could not be checked; the report's own entries first, without a script."""
    own: list[tuple[ScriptReport | None, Unchecked]] = [(None, item) for item in report.unchecked]
    own += [(None, item) for page in report.pages for item in page.unchecked]
    return own + [(script, item) for script in report.scripts for item in script.unchecked]


def verdict(report: Report) -> str:
    """The verdict on a change in words, as the comment's first line has it."""
    if report.verdict == "fail":
        pages = _failed_pages(report)
        alone = pages and not any(script.verdict == "fail" for script in report.scripts)
        return f"Not ready: {', '.join(pages if alone else [_failed(report), *pages])}."
    if report.verdict == "inconclusive":
        return f"Could not be checked: {_open(report)}"
    return _passed(report)


def _failed_pages(report: Report) -> list[str]:
    """Each page that contradicts its scripts, in words."""
    return [
        f"{counted(severities(page.findings)['error'], 'error')} in {page.path}"
        for page in report.pages
        if page.verdict == "fail"
    ]


def _failed(report: Report) -> str:
    total = len(report.scripts)
    against = sum(_says(script, "inconsistent") for script in report.scripts)
    wrong = [severities(script.findings)["error"] for script in report.scripts]
    errors, having = sum(wrong), sum(1 for count in wrong if count)
    if total == 1:
        said = join(
            (
                "contradicts its run" if against else "",
                f"has {counted(errors, 'error')}" if errors else "",
            )
        )
        return f"1 script {said or 'failed'}"
    parts = []
    if against:
        verb = "contradicts its run" if against == 1 else "contradict their runs"
        parts.append(f"{against} of {total} scripts {verb}")
    if errors:
        where = f"{having} script" if against and having == 1 else f"{having} scripts"
        parts.append(
            f"{counted(errors, 'error')} in {where if against else f'{having} of {total} scripts'}"
        )
    failed = sum(script.verdict == "fail" for script in report.scripts)
    return ", ".join(parts) or f"{failed} of {total} scripts failed"


def _open(report: Report) -> str:
    reasons = list(dict.fromkeys(item.reason for _, item in unchecked(report)))
    for script in report.scripts:
        for claim in not_consistent(script.evidence):
            if claim.verdict == "inconclusive" and claim.reason not in reasons:
                reasons.append(claim.reason)
    count = sum(script.verdict != "pass" for script in report.scripts) or len(report.scripts)
    total = len(report.scripts)
    if not total:
        return sentence(", ".join(page.path for page in report.pages) or "nothing was named")
    which = counted(total, "script") if count == total else f"{count} of {total} scripts"
    if len(reasons) == 1:
        # The rest of the reason says what would help; it stands below.
        why = sentence(_NEXT_SENTENCE.split(reasons[0], maxsplit=1)[0])
        return why if total == 1 else f"{which}. {why}"
    return f"{which}, for {counted(len(reasons), 'reason')}." if reasons else f"{which}."


def _passed(report: Report) -> str:
    total = len(report.scripts)
    if not total:
        rows = counted(sum(page.rows for page in report.pages), "row")
        pages = join(page.path for page in report.pages)
        return f"No errors in {rows} of {pages}."
    agreeing = sum(_says(script, "consistent") for script in report.scripts)
    if not agreeing:
        return f"No errors in {counted(total, 'script')}; no run was compared."
    if agreeing == total:
        verb = "script agrees with its run" if total == 1 else "scripts agree with their runs"
        return f"Ready: {total} {verb}."
    verb = "agrees with its run" if agreeing == 1 else "agree with their runs"
    return f"No errors in {total} scripts; {agreeing} {verb}, for the rest no run was compared."


def _says(script: ScriptReport, what: str) -> bool:
    return script.evidence is not None and script.evidence.verdict == what
