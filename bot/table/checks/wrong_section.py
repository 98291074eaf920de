"""RLB313: a row stands in the section of another size."""

from __future__ import annotations

from bot.base.messages import mark
from bot.script.name import same_size
from bot.table import place
from bot.table.checks._support.base import Hits, Meta, PageContext, hit, message

_WRONG = mark("{model} stands in the section {section}")
_MOVE = mark("move the row to the section {section}, at line {line}")
_MAKE = mark("move the row to a section {section}")

META = Meta(
    id="RLB313",
    severity="error",
    added_in="0.1.0",
    summary="A row stands in the section of another model size.",
    why="Readers look under their model's size; a row elsewhere is not found.",
    instead="Move the row to the section of its size.",
    limits=(
        "Sizes within 5 % share a section, as verl keeps 72B under 70B. Where the page has no "
        "section for the size it is a warning. A table without a heading is not compared."
    ),
)


def check(context: PageContext) -> Hits:
    """Compare each row's size with its section's."""
    for entry in context.entries:
        cell, section = entry.cell("model"), entry.section
        size = entry.row.size
        if cell is None or size is None or section.heading is None or section.size is None:
            continue
        if same_size(size, section.size):
            continue
        own = next((s for s in context.page.sections if s.size and same_size(s.size, size)), None)
        if own:
            line = context.page.line_of(place.start_of(context.page, own))
            help_ = message(_MOVE, section=own.label or own.size, line=line)
        else:
            help_ = message(_MAKE, section=size)
        yield hit(
            cell.span,
            _WRONG,
            model=cell.text,
            section=section.label or section.size,
            help=help_,
            severity=None if own else "warning",
        )
