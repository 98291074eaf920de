"""RLB314: the sections are not in the order of their sizes, or one size has two."""

from __future__ import annotations

from bot.base.messages import mark
from bot.script.name import parameters
from bot.shell.source import Span
from bot.table.checks._support.base import Hits, Meta, PageContext, hit, message
from bot.table.parts import Section

_ORDER = mark("the section {section} stands behind the larger {other} of line {line}")
_TWICE = mark("the section {section} is there already, at line {line}")
_MOVE = mark("order the sections by size")
_JOIN = mark("join the two sections")

META = Meta(
    id="RLB314",
    severity="warning",
    added_in="0.1.0",
    summary="The sections are not ordered by model size, or a size has two sections.",
    why="Readers scan the page from small to large, and stop where their size should be.",
    instead="Order the sections by size, and keep one for each.",
    limits="Rows inside a section are not ordered: the page has no order for them.",
)


def check(context: PageContext) -> Hits:
    """Compare each section with those above it."""
    seen: dict[str, Section] = {}
    largest: Section | None = None
    for section in context.page.sections:
        size, heading = section.size, section.heading
        if size is None or heading is None:
            continue
        end = heading.start + len(heading.title) if not heading.overlined else heading.start
        span = Span(heading.start, end)
        if size in seen:
            line = _line(context, seen[size])
            yield hit(span, _TWICE, section=section.label or size, line=line, help=message(_JOIN))
            continue
        seen[size] = section
        if largest and largest.size and parameters(size) < parameters(largest.size):
            yield hit(
                span,
                _ORDER,
                section=section.label or size,
                other=largest.label or largest.size,
                line=_line(context, largest),
                help=message(_MOVE),
            )
        else:
            largest = section


def _line(context: PageContext, section: Section) -> int:
    return context.page.line_of(section.heading.start if section.heading else 0)
