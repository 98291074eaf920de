"""RLB306: the model of a row is not the one that its script trains."""

from __future__ import annotations

from bot.base.messages import mark
from bot.table.checks._support.base import Hits, Meta, PageContext
from bot.table.checks._support.compare import contradictions, corrected
from bot.table.row import model_name

_WRONG = mark("the row says {cell}, {script} trains {used}")
_WHAT = mark("the model's name")

META = Meta(
    id="RLB306",
    severity="error",
    added_in="0.1.0",
    summary="The model of a row is not the one that its script trains.",
    why="Qwen2 and Qwen2.5, or 70B and 72B, are different models with different memory.",
    instead="Write the model as its hub names it, without -Instruct: Qwen2.5-7B.",
    limits=(
        "Endings such as -Instruct, -Chat and a date are not compared, nor is the case. Reported "
        "as not checked where the settings do not give a model's name."
    ),
)


def check(context: PageContext) -> Hits:
    """Compare the model's names."""
    found = contradictions(
        context,
        "model",
        lambda plan: model_name(plan.model.value) if plan.model.value else None,
        _agree,
        _WHAT,
    )
    return corrected(found, _WRONG)


def _agree(cell: str, used: str) -> bool:
    """Equal, or one of them goes on with words behind a dash (Qwen3-4B-Thinking-2507)."""
    named = (model_name(cell.replace(" ", "-")) or cell).casefold()
    trained = used.casefold()
    short, long = sorted((named.replace("_", "-"), trained.replace("_", "-")), key=len)
    return long == short or long.startswith(f"{short}-")
