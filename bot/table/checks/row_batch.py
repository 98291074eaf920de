"""RLB309: the MaxBatch of a row is not the batch of its script."""

from __future__ import annotations

from bot.base.digits import whole_number
from bot.base.messages import mark
from bot.base.regex import regex
from bot.table.checks._support.base import Hits, Meta, PageContext, hit
from bot.table.checks._support.compare import contradictions, corrected

_FORM = mark('MaxBatch is "{cell}", which is no number')
_WRONG = mark("the row says MaxBatch {cell}, {script} trains with a batch of {used}")
_HELP = mark("write {used} if the run that backs the row had it, or correct the script")
_WHAT = mark("the train batch size")

META = Meta(
    id="RLB309",
    severity="error",
    added_in="0.1.0",
    summary="The MaxBatch of a row is not the train batch size of its script.",
    why=(
        "MaxBatch is the largest batch that ran on this hardware. Whoever starts the script must "
        "get that batch, or the row and the script are about different runs."
    ),
    instead="Write the train batch size over all GPUs, not times the responses of each prompt.",
    limits=(
        "An empty cell says that no run has shown it, and is left alone. The fix is not a safe "
        "one: only the run can tell whether the row or the script is right."
    ),
)

_NUMBER = regex(r"\d{1,3}(?:,\d{3})+\Z|\d+\Z")


def check(context: PageContext) -> Hits:
    """Compare the numbers."""
    for entry in context.entries:
        cell = entry.cell("max_batch")
        if cell and not _NUMBER.match(cell.text):
            yield hit(cell.span, _FORM, cell=cell.text, severity="warning")
    found = contradictions(
        context, "max_batch", lambda plan: plan.train_batch_size.value, _agree, _WHAT
    )
    yield from corrected(found, _WRONG, _HELP)


def _agree(cell: str, used: int) -> bool:
    return not _NUMBER.match(cell) or whole_number(cell.replace(",", "")) == used
