"""The verdict that follows from findings and from what could not be checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.report import Evidence, Finding, Unchecked, Verdict


def verdict_of(
    findings: Iterable[Finding], unchecked: Sequence[Unchecked], evidence: Evidence | None = None
) -> Verdict:
    """The verdict on a script or a page."""
    run = evidence.verdict if evidence is not None else "consistent"
    if run == "inconsistent" or any(finding.severity == "error" for finding in findings):
        return "fail"
    return "inconclusive" if unchecked or run == "inconclusive" else "pass"


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on several things together."""
    found = set(verdicts)
    return "fail" if "fail" in found else "inconclusive" if "inconclusive" in found else "pass"
