"""Applies the fixes of page findings: cells alone, proved by docutils, every other byte kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bot.base.fast_dataclass import dataclass
from bot.report import Finding
from bot.shell.source import Source
from bot.table import rst
from bot.table.judge import Judgement, Shown, judge
from bot.table.lines import width
from bot.table.parts import Page


@dataclass(frozen=True, slots=True)
class Mended:
    """The page after its fixes."""

    text: str
    done: tuple[Finding, ...]
    refused: tuple[tuple[Finding, str], ...]
    """Fixes that were not applied, each with the reason."""


def mend(page: Page, findings: Sequence[Finding]) -> Mended:
    """Apply the fixes that these findings carry; those without one are passed over.

    docutils must read the new page as the old one with these cells changed, and may not complain
    about anything that it did not complain about before. A fix that fails this is refused alone.
    """
    refused: list[tuple[Finding, str]] = []
    chosen: list[tuple[Finding, int, int, str]] = []
    taken: set[int] = set()
    source = Source(page.path, page.text)
    for finding in findings:
        for edit in finding.fix.edits if finding.fix else ():
            start = source.offset(edit.line, edit.column)
            end = source.offset(edit.end_line, edit.end_column)
            reason = _why_not_applicable(page, start, end, edit.text, taken)
            if reason:
                refused.append((finding, reason))
            else:
                taken.update(range(start, end))
                chosen.append((finding, start, end, edit.text))
    before = judge(page.text, page.path)
    if not _proved(before, page, chosen):
        kept: list[tuple[Finding, int, int, str]] = []
        for one in chosen:
            if _proved(before, page, [*kept, one]):
                kept.append(one)
            else:
                refused.append((one[0], "docutils would read the page otherwise than meant"))
        chosen = kept
    return Mended(_applied(page.text, chosen), tuple(one[0] for one in chosen), tuple(refused))


def _why_not_applicable(page: Page, start: int, end: int, text: str, taken: set[int]) -> str | None:
    """Why an edit cannot be made, in words."""
    if taken & set(range(start, end)):
        return "another fix changes the same cell"
    for section in page.sections:
        table = section.table
        if table and table.start <= start < table.end and table.form == "grid":
            shift = width(text) != width(page.text[start:end])
            return "the columns of this table would shift; edit it by hand" if shift else None
    return None


def _proved(before: Judgement, page: Page, chosen: Sequence[tuple[Finding, int, int, str]]) -> bool:
    if not chosen:
        return True
    after = judge(_applied(page.text, chosen), page.path)
    if after.warnings() - before.warnings() or len(after.tables) != len(before.tables):
        return False
    changed: Counter[str] = Counter()
    for old, new in zip(before.tables, after.tables, strict=True):
        if [len(row) for row in old] != [len(row) for row in new]:
            return False
        changed.update(_differing(old, new))
    return changed == Counter(" ".join(rst.plain(text).split()) for *_, text in chosen)


def _differing(old: Sequence[Sequence[Shown]], new: Sequence[Sequence[Shown]]) -> list[str]:
    """What the cells that differ show afterwards."""
    return [
        " ".join(now.text.split())
        for above, below in zip(old, new, strict=True)
        for was, now in zip(above, below, strict=True)
        if was != now
    ]


def _applied(text: str, chosen: Sequence[tuple[Finding, int, int, str]]) -> str:
    for _, start, end, new in sorted(chosen, key=lambda one: one[1], reverse=True):
        text = text[:start] + new + text[end:]
    return text
