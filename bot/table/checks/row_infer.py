"""RLB312: the inference engine of a row is not the one of its script."""

from __future__ import annotations

from bot.base.messages import mark
from bot.base.regex import regex
from bot.table import rst
from bot.table.checks._support.base import Hits, Meta, PageContext, Skip, hit, message, rewrite
from bot.table.checks._support.compare import USE, contradictions

_WRONG = mark("the row says {cell}, {script} generates with {used}")
_RELEASE = mark("write {used} and the release that the run had")
_WHAT = mark("the inference engine")

META = Meta(
    id="RLB312",
    severity="error",
    added_in="0.1.0",
    summary="The inference engine of a row is not the one of its script.",
    why="The engines take memory differently, and so do their releases.",
    instead="Write the engine with the release that the run had: vllm0.8.3.",
    limits="A release is never guessed or compared: only a run tells it.",
)

_VERSION = regex(r"[-=\s]{0,50}v?\d{1,50}(?:\.\w{1,50}){0,20}\Z")


def check(context: PageContext) -> Hits:
    """Compare the engines, without their releases."""
    found = contradictions(context, "infer", lambda plan: plan.infer.value, _agree, _WHAT)
    for one in found:
        if isinstance(one, Skip):
            yield one
            continue
        # The release of the wrong engine is nothing that the right one could keep.
        bare = _engine(one.cell.text) == one.cell.text.casefold()
        yield hit(
            one.cell.span,
            _WRONG,
            cell=one.cell.text,
            script=one.entry.script,
            used=one.used,
            help=message(USE if bare else _RELEASE, used=one.used),
            edits=rewrite(one.cell, rst.cell(one.used) if bare else None),
            fix_safe=True,
        )


def _agree(cell: str, used: str) -> bool:
    return _engine(cell) == used.casefold()


def _engine(cell: str) -> str:
    return _VERSION.sub("", cell.casefold()).strip()
