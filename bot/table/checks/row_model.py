"""RLB306: the model of a row is not the one that its script trains."""

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
from bot.table.row import model_name

_WRONG = "the row says {cell}, {script} trains {used}"
_WHAT = "the model's name"

META = Meta(
    id="RLB306",
    slug="row-model",
    severity="error",
    added_in="0.1.0",
    summary="The model of a row is not the one that its script trains.",
    why="Qwen2 and Qwen2.5, or 70B and 72B, are different models with different memory.",
    instead="Write the model as its hub names it, without -Instruct: Qwen2.5-7B.",
    limits=(
        "Endings such as -Instruct, -Chat and a date are not compared, nor is the case. Reported "
        "as not checked where the settings do not give a model's name."
    ),
    zh=Chinese(
        summary="某一行的模型不是其脚本所训练的模型。",
        why="Qwen2 与 Qwen2.5、70B 与 72B 是不同的模型，占用的显存也不同。",
        instead="按模型在 hub 上的名字书写，不带 -Instruct：Qwen2.5-7B。",
        limits="不比较 -Instruct、-Chat、日期等后缀和大小写。设置没有给出模型名时报告为未核对。",
        sentences={
            _WRONG: "该行写 {cell}，而 {script} 训练的是 {used}",
            USE: USE_ZH,
            _WHAT: "模型名",
            UNKNOWN: UNKNOWN_ZH,
        },
    ),
)


def check(context: PageContext) -> Iterator[Hit | Skip]:
    """Compare the model's names."""
    found = contradictions(
        context,
        "model",
        lambda plan: model_name(plan.model.value) if plan.model.value else None,
        _agree,
        str,
        _WHAT,
    )
    return corrected(found, _WRONG)


def _agree(cell: str, used: str) -> bool:
    """Equal, or one of them goes on with words behind a dash (Qwen3-4B-Thinking-2507)."""
    named = (model_name(cell.replace(" ", "-")) or cell).casefold()
    trained = used.casefold()
    short, long = sorted((named.replace("_", "-"), trained.replace("_", "-")), key=len)
    return long == short or long.startswith(f"{short}-")
