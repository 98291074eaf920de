"""RLB317: a row's link pins a commit that is on no branch."""

from __future__ import annotations

from bot.base.messages import mark
from bot.table.checks._support.base import Hits, Meta, PageContext, hit, message, rewrite

_STRAY = mark("the link pins {commit}, which is not in the history of this branch")
_LAST = mark("pin {commit}, which has the same script")

META = Meta(
    id="RLB317",
    severity="warning",
    added_in="0.1.0",
    summary="A row's link pins a commit that is on no branch.",
    why=(
        "A pull request that is merged by squashing leaves its own commits on no branch: GitHub "
        "shows them with a warning, and a clone does not have them."
    ),
    instead="Pin the commit of the branch that brought the script; --fix does.",
    limits=(
        "Told where the local history is at hand. The commit to pin is the newest of the branch "
        "that has the same script; of a commit that the clone lacks, only where a single commit of "
        "the branch ever touched the script."
    ),
)


def check(context: PageContext) -> Hits:
    """Look at the commits that links pin."""
    for entry in context.entries:
        cell, commit, lasting = entry.row.cell("link"), entry.target.commit, entry.lasting
        if cell is None or commit is None or lasting is None:
            continue
        once = cell.source.count(commit) == 1
        yield hit(
            cell.span,
            _STRAY,
            commit=commit[:10],
            help=message(_LAST, commit=lasting[:10]),
            edits=rewrite(cell, cell.source.replace(commit, lasting) if once else None),
            fix_safe=True,
        )
