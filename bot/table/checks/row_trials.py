"""RLB310: the MaxBatch of a row is not the largest that its script's trial log shows."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import message
from bot.table.checks._support.base import Chinese, Hit, Meta, PageContext

_FAILED = "MaxBatch {cell} rests on a value that failed: {said} ({script}, line {line})"
_BELOW = "MaxBatch {cell} is not the largest that ran: {said} ({script}, line {line})"

META = Meta(
    id="RLB310",
    slug="row-trials",
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
    zh=Chinese(
        summary="某一行的最大批量不是脚本自己的试验记录中的最大值。",
        why="作者在数值旁记下哪些跑通（√）、哪些没有（×）。把显存不足或偏小的批量写进表格会误导读者。",
        instead="公布跑通的最大值，并在脚本中使用它。",
        limits=(
            "把规则 `trial-log` 对脚本的结论报告在该行；低于已跑通的值为警告。"
            "没有最大批量的行不报告。"
        ),
        sentences={
            _FAILED: "最大批量 {cell} 依据的是失败的数值：{said}（{script} 第 {line} 行）",
            _BELOW: "最大批量 {cell} 不是跑通的最大值：{said}（{script} 第 {line} 行）",
        },
    ),
)


def check(context: PageContext) -> Iterator[Hit]:
    """Carry what is said of the script to its row."""
    for entry, cell, subject in context.compared("max_batch"):
        for finding in subject.trials:
            if finding.severity != "note":
                failed = finding.severity == "error"
                yield Hit(
                    message=message(
                        _FAILED if failed else _BELOW,
                        cell=cell.text,
                        said=finding.message,
                        script=entry.script,
                        line=finding.line,
                    ),
                    start=cell.start,
                    end=cell.end,
                    help=finding.help,
                    severity=None if failed else "warning",
                )
