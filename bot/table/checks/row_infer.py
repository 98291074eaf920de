"""RLB312: the inference engine of a row is not the one of its script."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.base.messages import message
from bot.table import rst
from bot.table.checks._support.base import Chinese, Hit, Meta, PageContext, Skip
from bot.table.checks._support.compare import UNKNOWN, UNKNOWN_ZH, contradictions

_WRONG = "the row says {cell}, {script} generates with {used}"
_USE = "write {used}"
_RELEASE = "write {used} and the release that the run had"
_WHAT = "the inference engine"

META = Meta(
    id="RLB312",
    slug="row-infer",
    severity="error",
    added_in="0.1.0",
    summary="The inference engine of a row is not the one of its script.",
    why="The engines take memory differently, and so do their releases.",
    instead="Write the engine with the release that the run had: vllm0.8.3.",
    limits="A release is never guessed or compared: only a run tells it.",
    zh=Chinese(
        summary="某一行的推理引擎与其脚本不符。",
        why="各引擎占用显存的方式不同，各版本也不同。",
        instead="写引擎和运行时的版本：vllm0.8.3。",
        limits="版本从不猜测，也不比较：只有运行才能说明。",
        sentences={
            _WRONG: "该行写 {cell}，而 {script} 用 {used} 生成",
            _USE: "改为 {used}",
            _RELEASE: "改为 {used}，并写上运行时的版本",
            _WHAT: "推理引擎",
            UNKNOWN: UNKNOWN_ZH,
        },
    ),
)

_VERSION = re.compile(r"[-=\s]*v?\d+(?:\.\w+)*\Z")


def check(context: PageContext) -> Iterator[Hit | Skip]:
    """Compare the engines, without their releases."""
    found = contradictions(context, "infer", lambda plan: plan.infer.value, _agree, str, _WHAT)
    for one in found:
        if isinstance(one, Skip):
            yield one
            continue
        # The release of the wrong engine is nothing that the right one could keep.
        bare = _engine(one.cell.text) == one.cell.text.casefold()
        yield Hit(
            message=message(_WRONG, cell=one.cell.text, script=one.entry.script, used=one.used),
            start=one.cell.start,
            end=one.cell.end,
            help=message(_USE if bare else _RELEASE, used=one.used),
            fix_title=message(_USE, used=one.used) if bare else None,
            text=rst.cell(one.used) if bare else None,
            safe=True,
        )


def _agree(cell: str, used: str) -> bool:
    return _engine(cell) == used.casefold()


def _engine(cell: str) -> str:
    return _VERSION.sub("", cell.casefold()).strip()
