"""RLB316: the text of a link names another script than its address."""

from __future__ import annotations

from bot.base.messages import mark
from bot.table.checks._support.base import Hits, Meta, PageContext, bare_stem, hit, message
from bot.table.parts import file_name

_OTHER = mark("the link reads {text}, its address leads to {file}")
_HELP = mark("write the name of the script that the link leads to")

META = Meta(
    id="RLB316",
    severity="warning",
    added_in="0.1.0",
    summary="The text of a link names another script than its address.",
    why="A row that was copied often keeps one of the two, and a reader lands at another script.",
    instead="Let the link read as the script is called.",
    limits=(
        "Only texts in the form of a script's name are compared; the ending .sh, the case, and "
        "dashes for underscores do not count."
    ),
)


def check(context: PageContext) -> Hits:
    """Compare text and address."""
    for entry in context.entries:
        cell = entry.cell("link")
        link = cell.link if cell else None
        if cell is None or link is None or link.text == link.url:
            continue
        name = file_name(link.url) or ""
        scriptlike = link.text.endswith(".sh") or link.text.count("_") > 2
        if scriptlike and bare_stem(link.text) != bare_stem(name):
            yield hit(cell.span, _OTHER, text=link.text, file=name, help=message(_HELP))
