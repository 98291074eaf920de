"""RLB309: the MaxBatch of a row is not the batch of its script."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.base.messages import message
from bot.table.checks._support.base import Chinese, Hit, Meta, PageContext, Skip
from bot.table.checks._support.compare import UNKNOWN, UNKNOWN_ZH, contradictions

_FORM = 'MaxBatch is "{cell}", which is no number'
_WRONG = "the row says MaxBatch {cell}, {script} trains with a batch of {used}"
_HELP = "write {used} if the run that backs the row had it, or correct the script"
_USE = "write {used}"
_WHAT = "the train batch size"

META = Meta(
    id="RLB309",
    slug="row-batch",
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
    zh=Chinese(
        summary="某一行的最大批量与其脚本的训练批量不符。",
        why="最大批量是在该硬件上跑通的最大批次。启动脚本得到的必须就是它，否则两者说的不是同一次运行。",
        instead="写所有 GPU 合计的训练批量，不乘以每个提示的回复数。",
        limits="空单元格表示尚无运行证明，不处理。修复不是安全的：只有运行才能说明哪一方正确。",
        sentences={
            _FORM: "最大批量为“{cell}”，不是数字",
            _WRONG: "该行写最大批量 {cell}，而 {script} 的训练批量为 {used}",
            _HELP: "若支持该行的运行确为 {used}，则改写该行，否则更正脚本",
            _USE: "改为 {used}",
            _WHAT: "训练批量",
            UNKNOWN: UNKNOWN_ZH,
        },
    ),
)

_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+\Z|\d+\Z")


def check(context: PageContext) -> Iterator[Hit | Skip]:
    """Compare the numbers."""
    for entry in context.entries:
        cell = entry.cell("max_batch")
        if cell and not _NUMBER.match(cell.text):
            text = message(_FORM, cell=cell.text)
            yield Hit(message=text, start=cell.start, end=cell.end, severity="warning")
    found = contradictions(
        context, "max_batch", lambda plan: plan.train_batch_size.value, _agree, str, _WHAT
    )
    for one in found:
        if isinstance(one, Skip):
            yield one
            continue
        yield Hit(
            message=message(_WRONG, cell=one.cell.text, script=one.entry.script, used=one.used),
            start=one.cell.start,
            end=one.cell.end,
            help=message(_HELP, used=one.used),
            fix_title=message(_USE, used=one.used),
            text=one.used,
        )


def _agree(cell: str, used: int) -> bool:
    return not _NUMBER.match(cell) or int(cell.replace(",", "")) == used
