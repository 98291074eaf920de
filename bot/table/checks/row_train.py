"""RLB311: the training backend of a row is not the one of its script."""

from __future__ import annotations

from collections.abc import Iterator

from bot.table.checks._support.base import Chinese, Hit, Meta, PageContext, Skip
from bot.table.checks._support.compare import (
    UNKNOWN,
    UNKNOWN_ZH,
    USE,
    USE_ZH,
    contradictions,
    corrected,
)

_WRONG = "the row says {cell}, {script} trains with {used}"
_WHAT = "the training backend"

META = Meta(
    id="RLB311",
    slug="row-train",
    severity="error",
    added_in="0.1.0",
    summary="The training backend of a row is not the one of its script.",
    why="The memory of a step depends on the backend first of all.",
    instead="Write the backend as the framework names it: fsdp, fsdp2, megatron, deepspeed.",
    limits="fsdp stands for FSDP 1 and FSDP 2.",
    zh=Chinese(
        summary="某一行的训练后端与其脚本不符。",
        why="一步所需的显存首先取决于训练后端。",
        instead="按框架的名称书写：fsdp、fsdp2、megatron、deepspeed。",
        limits="fsdp 同时表示 FSDP 1 和 FSDP 2。",
        sentences={
            _WRONG: "该行写 {cell}，而 {script} 用 {used} 训练",
            USE: USE_ZH,
            _WHAT: "训练后端",
            UNKNOWN: UNKNOWN_ZH,
        },
    ),
)

_SAME = {"fsdp1": "fsdp", "mcore": "megatron", "ds": "deepspeed"}


def check(context: PageContext) -> Iterator[Hit | Skip]:
    """Compare the backends."""
    found = contradictions(context, "train", lambda plan: plan.train.value, _agree, str, _WHAT)
    return corrected(found, _WRONG)


def _agree(cell: str, used: str) -> bool:
    told = _plain(cell)
    return told == _plain(used) or (told == "fsdp" and used.startswith("fsdp"))


def _plain(name: str) -> str:
    bare = "".join(name.casefold().split())
    return _SAME.get(bare, bare)
