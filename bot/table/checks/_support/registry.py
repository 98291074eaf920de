"""Finds the checks by walking this package, and runs them over a page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

import bot.table.checks
from bot.base.discovery import entries
from bot.base.resources import DOCUMENTATION
from bot.report import Edit, Finding, Fix, Unchecked
from bot.shell.source import Source, Span
from bot.table.checks._support.base import Hit, PageCheck, PageContext, Skip

DOCS = f"{DOCUMENTATION}/table"
"""Where the checks' pages are published; a page is named after the check's slug."""


@cache
def checks() -> tuple[PageCheck, ...]:
    """Every check, ordered by id; see `bot.base.discovery.entries`."""
    found = entries(bot.table.checks)
    return tuple(PageCheck(module.META, module.check) for module in found)


def url(slug: str) -> str:
    """Address of a check's page."""
    return f"{DOCS}/{slug}.md"


def find(name: str) -> PageCheck | None:
    """The check with this id (RLB306) or slug (row-model), in any case; None when there is none."""
    wanted = name.strip().lower()
    return next((c for c in checks() if wanted in (c.meta.id.lower(), c.meta.slug)), None)


def run(
    context: PageContext, *, only: Collection[str] = (), without: Collection[str] = ()
) -> tuple[tuple[Finding, ...], tuple[Unchecked, ...]]:
    """Run the checks: what they found, and what could not be checked.

    `only` and `without` hold ids; an empty `only` means all. Findings are ordered by place. A check
    that raises becomes an `Unchecked`, so that one fault does not hide what the others found.
    """
    source = Source(context.page.path, context.page.text)
    findings: list[Finding] = []
    unchecked: dict[Unchecked, None] = {}
    for one in checks():
        if (only and one.meta.id not in only) or one.meta.id in without:
            continue
        label = f"{one.meta.id} {one.meta.slug}"
        try:
            results: Sequence[Hit | Skip] = list(one.check(context))
        except Exception as error:  # A fault in one check must not hide what the others find.
            reason = (
                f"check {one.meta.id} failed: {type(error).__name__}. This is a fault of rlbot, "
                "not of the page; please report it with the page."
            )
            unchecked[Unchecked(check=label, reason=reason)] = None
            continue
        for result in results:
            if isinstance(result, Skip):
                unchecked[Unchecked(check=label, reason=result.reason)] = None
            else:
                findings.append(_finding(one, result, source))
    order = sorted(findings, key=lambda f: (f.line, f.column, f.id, f.message))
    return tuple(order), tuple(unchecked)


def _finding(one: PageCheck, hit: Hit, source: Source) -> Finding:
    place = source.place(Span(hit.start, hit.end))
    fix = None
    if hit.text is not None and hit.fix_title:
        edit = Edit(
            line=place.line,
            column=place.column,
            end_line=place.end_line,
            end_column=place.end_column,
            text=hit.text,
        )
        fix = Fix(title=hit.fix_title, safe=hit.safe, edits=(edit,))
    return Finding(
        id=one.meta.id,
        slug=one.meta.slug,
        severity=hit.severity or one.meta.severity,
        message=hit.message,
        path=source.path,
        line=place.line,
        column=place.column,
        end_line=place.end_line,
        end_column=place.end_column,
        help=hit.help,
        url=url(one.meta.slug),
        fix=fix,
    )
