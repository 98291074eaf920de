"""RLB310: the MaxBatch of a row is not the largest that its script's trial log shows."""

from __future__ import annotations

from bot.base.messages import mark
from bot.table.checks._support.base import Hits, Meta, PageContext, hit

_FAILED = mark("MaxBatch {cell} rests on a value that failed: {said} ({script}, line {line})")
_BELOW = mark("MaxBatch {cell} is not the largest that ran: {said} ({script}, line {line})")

META = Meta(
    id="RLB310",
    severity="error",
    added_in="0.1.0",
    summary="The MaxBatch of a row is not the largest that the script's own trial log shows.",
    why=(
        "The author's notes beside the value mark what ran (√) and what did not (×). A row with a "
        "batch that ran out of memory, or with a small one, misleads every reader."
    ),
    instead="Publish the largest value that passed, and use it in the script.",
    limits=(
        "Says what the rule `trial-log` says of the script, at the row; a maximum below one that "
        "passed is a warning. Silent for rows without MaxBatch."
    ),
)


def check(context: PageContext) -> Hits:
    """Carry what is said of the script to its row."""
    for entry, cell, subject in context.compared("max_batch"):
        for finding in subject.trials:
            if finding.severity != "note":
                failed = finding.severity == "error"
                yield hit(
                    cell.span,
                    _FAILED if failed else _BELOW,
                    cell=cell.text,
                    said=finding.message,
                    script=entry.script,
                    line=finding.line,
                    help=finding.help,
                    severity=None if failed else "warning",
                )
