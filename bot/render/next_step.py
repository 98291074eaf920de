"""The last line of a comment: what can be done next by another comment, and who may."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from bot.base.config import Permissions
from bot.base.fast_dataclass import dataclass
from bot.base.messages import mark_plural
from bot.render import wording
from bot.render.escape import clip, code_span, markdown_inline
from bot.render.finding_places import FindingPlaces
from bot.render.speech import counted, tr, word
from bot.report import Claim, Report
from bot.report.claims import ClaimName

_VALUE = 60
_ROW = mark_plural("{count} row", "{count} rows")
_CORRECTION = mark_plural("{count} sure correction", "{count} sure corrections")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The pull request that a comment is written for."""

    web_url: str | None = None
    """The https address of the repository that shows the checked commit; None when there is
    none."""
    permissions: Permissions = field(default_factory=Permissions)
    added: frozenset[str] = frozenset()
    """Files that are new, so that the diff shows all of their lines."""


def next_step(report: Report, permissions: Permissions, places: FindingPlaces) -> str:
    """One line of Markdown in the language spoken now; empty for a report without a change.

    Only what would do something now is named.
    """
    if report.change is None:
        return ""
    head = {"pass": tr("Ready"), "fail": tr("Not ready")}.get(report.verdict, tr("Next"))
    link = code_span("/verify LINK SCRIPT.sh" if len(report.scripts) > 1 else "/verify LINK")
    parts = [
        *_blocking(report, places, link),
        *_apply(report, permissions),
        *_another_run(report, link),
        tr("`/verify` (the author, {role} rights) checks again", role=permissions.verify),
    ]
    return tr("{what}: {why}", what=head, why=" · ".join(parts))


def _blocking(report: Report, places: FindingPlaces, link: str) -> Iterator[str]:
    """What stands against the change, the first of it."""
    if report.verdict != "fail":
        return
    errors = [f for f in wording.all_findings(report) if f.severity == "error"]
    against = [
        claim
        for script in report.scripts
        for claim in wording.claims(script.evidence, "inconsistent")
    ]
    if errors:
        first = places.link(wording.by_place(errors)[0])
        more = len(errors) - 1
        yield (
            tr("correct {place} and {count} more", place=first, count=more)
            if more
            else tr("correct {place}", place=first)
        )
    if against:
        yield _against(against, link)


def _against(claims: list[Claim], link: str) -> str:
    first = claims[0]
    if first.claim == ClaimName.USED_ONCE:
        return tr("link a run that no other script names: {command}", command=link)
    if first.claimed is None or first.observed is None:
        return tr("say what the run had, or link the script's own run: {command}", command=link)
    return tr(
        "set {name} to {observed}{more}, or link the run with {claimed}: {command}",
        name=markdown_inline(clip(word(first.claim), _VALUE)),
        observed=code_span(clip(wording.value(first.observed), _VALUE)),
        more=tr(" (and {count} more)", count=len(claims) - 1) if len(claims) > 1 else "",
        claimed=code_span(clip(wording.value(first.claimed), _VALUE)),
        command=link,
    )


def _apply(report: Report, permissions: Permissions) -> Iterator[str]:
    """What `/apply` would commit."""
    rows = sum(
        script.verdict != "fail"
        and script.page_edit is not None
        # A row that stands already is not written again.
        and script.page_edit.action != "none"
        for script in report.scripts
    )
    fixes = sum(
        finding.fix is not None and finding.fix.safe
        for script in report.scripts
        for finding in script.findings
    )
    what = [counted(rows, _ROW)] if rows else []
    what += [counted(fixes, _CORRECTION)] if fixes else []
    if what:
        yield tr(
            "`/apply` ({role} rights) commits {what}",
            what=wording.join(what),
            role=permissions.apply,
        )


def _another_run(report: Report, link: str) -> Iterator[str]:
    """What the link of a run would do; said already where a run speaks against its script."""
    compared = [script.evidence for script in report.scripts]
    if not compared or any(e is not None and e.verdict == "inconsistent" for e in compared):
        return
    if None in compared:
        yield tr("{command} compares with a run", command=link)
    else:
        yield tr("{command} takes another run", command=link)
