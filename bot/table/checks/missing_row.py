"""RLB303: a tuning script has no row."""

from __future__ import annotations

from bot.base.messages import mark
from bot.shell.source import Span
from bot.table import place
from bot.table.checks._support.base import Hits, Meta, PageContext, PageSubject, hit, message
from bot.table.columns import size_label

_MISSING = mark("{script} has no row in this page")
_HELP = mark("`rlbot table add {page} {script}` writes it; or move the script")

META = Meta(
    id="RLB303",
    severity="warning",
    added_in="0.1.0",
    summary="A tuning script has no row in the page.",
    why="Readers look for hardware in the table; a script without a row is not found.",
    instead="Add the row with `rlbot table add PAGE SCRIPT --run RUN`, or move the script.",
    limits=(
        "A row counts when its link leads to the script's path, at whatever commit, or when its "
        "dead link surely means the script. Silent on a file that starts no training and is not "
        "named as a tuning script. The place is the section of the script's size, else "
        "the top of the page."
    ),
)


def check(context: PageContext) -> Hits:
    """Look for a row of each script."""
    entries = (*context.entries, *context.unread)
    linked = {entry.target.path for entry in entries}
    linked |= {entry.meant.path for entry in entries if entry.meant}
    for script in context.scripts:
        if not (script.plans or script.name.valid):
            continue  # Other scripts source it, or start it.
        if script.path not in linked and script.path not in context.offered:
            at = _place(context, script)
            yield hit(
                Span(at, at),
                _MISSING,
                script=script.path,
                help=place.without_place(context.page)
                or message(_HELP, page=context.page.path, script=script.path),
            )


def _place(context: PageContext, script: PageSubject) -> int:
    models = [plan.model.value for plan in script.plans if plan.model.value]
    sizes = map(size_label, (*models, script.name.model or ""))
    size = next(filter(None, sizes), None)
    section = place.find_section(context.page, size) if size else None
    return place.start_of(context.page, section) if section else 0
