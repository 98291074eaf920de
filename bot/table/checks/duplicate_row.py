"""RLB304: two rows are about the same script, or say the same."""

from __future__ import annotations

from bot.base.messages import mark
from bot.table.checks._support.base import Hits, Meta, PageContext, ScriptEntry, hit, message
from bot.table.columns import COLUMNS

_SCRIPT = mark("{script} has a row already, at line {line}")
_SAME = mark("the row at line {line} says the same of another script")
_HELP = mark("keep one of the two rows")

META = Meta(
    id="RLB304",
    severity="error",
    added_in="0.1.0",
    summary="Two rows are about the same script, or say the same of two scripts.",
    why="A reader cannot tell which of the two holds; the edit of a row reaches only one of them.",
    instead="Keep one row for each script.",
    limits=(
        "Two scripts with the same tag, model, task, resource, batch, training and inference are a "
        "warning. Rows with an unknown model are not compared."
    ),
)

_SAYING = tuple(column for column in COLUMNS if column not in ("link", "contributor"))


def check(context: PageContext) -> Hits:
    """Compare each row with those above it."""
    by_path: dict[str, ScriptEntry] = {}
    by_words: dict[tuple[str, ...], ScriptEntry] = {}
    for entry in context.entries:
        path = entry.subject.path if entry.subject else entry.target.path
        words = tuple(entry.row.text(column).casefold() for column in _SAYING)
        place = entry.cell("link") or entry.row.cells[0]
        same_path = by_path.setdefault(path, entry) if path else entry
        same_words = by_words.setdefault(words, entry) if entry.cell("model") else entry
        if same_path is not entry:
            line = context.page.line_of(same_path.row.start)
            yield hit(place.span, _SCRIPT, script=path, line=line, help=message(_HELP))
        elif same_words is not entry:
            line = context.page.line_of(same_words.row.start)
            yield hit(place.span, _SAME, line=line, help=message(_HELP), severity="warning")
