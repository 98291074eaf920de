"""What `rlbot bisect` says in Chinese: English template to Chinese one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, Final, TypeVar, cast

from bot.base.messages import Language, Message, translated

SENTENCES: Final[Mapping[str, str]] = {
    # The series.
    "{value} failed although it was predicted to fit; the prediction is left out below it.": (
        "{value} 失败，而预测认为它放得下；在它以下不再采用预测。"
    ),
    "{value} ran although it was predicted to be too large; the prediction is left out above it.": (
        "{value} 跑通，而预测认为它过大；在它以上不再采用预测。"
    ),
    "Values are multiples of {step}, so that there are few. When the series is done, --ran A "
    "--failed B finds the largest between the two that it ends with.": (
        "取值为 {step} 的倍数，以减少数量。系列结束后，用 --ran A --failed B 在最后两个值之间找出"
        "最大值。"
    ),
    "It was left out (--blind).": "已省略（--blind）。",
    "given with --ran": "由 --ran 给出",
    "given with --failed": "由 --failed 给出",
    "marked √ in the script's own trial log": "脚本自己的试验记录标为 √",
    "marked × in the script's own trial log": "脚本自己的试验记录标为 ×",
    "impossible: the floor is {floor} of {usable} GiB": (
        "不可能：下限为 {floor} GiB，可用 {usable} GiB"
    ),
    "expected {expected} of {usable} GiB, above by more than the model's usual error": (
        "预计 {expected} GiB，可用 {usable} GiB，超出幅度大于模型的常见误差"
    ),
    "expected {expected} of {usable} GiB, below by more than the model's usual error": (
        "预计 {expected} GiB，可用 {usable} GiB，余量大于模型的常见误差"
    ),
    "at most {most} of {usable} GiB, every sequence at its full length": (
        "所有序列都取最大长度时为 {most} GiB，可用 {usable} GiB"
    ),
    "done: {value} ran, {above} failed": "完成：{value} 跑通，{above} 失败",
    "done: {below} ran, {value} failed": "完成：{below} 跑通，{value} 失败",
    "nothing is left to try": "没有可试的值",
    "plan again with {options}": "用 {options} 重新规划",
    "By the prediction {name} does not decide the memory of a GPU: the peak is {peak} of {usable} "
    "GiB at {value} and at {more} alike.": (
        "按预测，{name} 不决定单个 GPU 的显存：取 {value} 与 {more} 时峰值同为 {peak} GiB，"
        "可用 {usable} GiB。"
    ),
    # Notes.
    "Assumed: {what}.": "假设：{what}。",
    "The linter finds errors in the script that no batch settles; fix them first (rlbot lint "
    "{path}).": "检查在脚本中发现与批量无关的错误；请先修正（rlbot lint {path}）。",
    "The runs share trainer.experiment_name, and verl resumes from the checkpoints of the one "
    "before: set trainer.resume_mode=disable, or trainer.save_freq=-1.": (
        "各次运行的 trainer.experiment_name 相同，verl 会从前一次的检查点继续：请设置 "
        "trainer.resume_mode=disable 或 trainer.save_freq=-1。"
    ),
    "The script looks for files beside itself or sources others: see that it finds them from where "
    "the series is written.": (
        "脚本会查找自己旁边的文件，或引入其他文件：请确认写出的脚本仍能找到它们。"
    ),
    # The bracket.
    "MaxBatch {batch}: {name}={ran} ran, {name}={failed} ran out of memory, and nothing between "
    "them can be tried.": (
        "MaxBatch {batch}：{name}={ran} 跑通，{name}={failed} 显存不足，两者之间没有可试的值。"
    ),
    "MaxBatch {batch}, in part by the script's own trial log, which no run backs here: "
    "{name}={ran} ran, {name}={failed} failed, and nothing between them can be tried.": (
        "MaxBatch {batch}，部分依据脚本自己的试验记录（此处没有运行佐证）：{name}={ran} 跑通，"
        "{name}={failed} 失败，两者之间没有可试的值。"
    ),
    "{name}={ran} ran (batch {batch}), {name}={failed} ran out of memory.{more}": (
        "{name}={ran} 跑通（批量 {batch}），{name}={failed} 显存不足。{more}"
    ),
    " At most {runs} more runs close it.": "最多再运行 {runs} 次即可确定。",
    "{name}={ran} ran (batch {batch}); whether more fits was not shown.": (
        "{name}={ran} 跑通（批量 {batch}）；更大的值是否可行尚无证据。"
    ),
    "{name}={failed} ran out of memory; none ran.": "{name}={failed} 显存不足；没有跑通的值。",
    "Contradictory: {name}={ran} ran, and {name}={failed}, which is no larger, ran out of memory. "
    "Memory was not decided by the batch alone: look at what else differed, and run {failed} "
    "again.": (
        "矛盾：{name}={ran} 跑通，而不更大的 {name}={failed} 显存不足。显存并非只由批量决定：请查"
        "看其他差异，并重新运行 {failed}。"
    ),
    "No run says whether its batch fits.": "没有运行能说明其批量是否放得下。",
    "No comment can stand beside {name} without changing what the script starts; put the log where "
    "it belongs by hand.": "{name} 旁边无法写注释而不改变脚本的启动内容；请手工写入试验记录。",
    "{run}: {reason}": "{run}：{reason}",
    # What one run says.
    "the run's {key} is {number}, which no value of {name} gives": (
        "运行的 {key} 为 {number}，{name} 取任何值都得不到"
    ),
    "it is no run of this script with that batch: {shown}": "它不是此脚本取该批量的运行：{shown}",
    "; and {count} more": "；另有 {count} 处",
    "{claim} is {run}, the script's {script}": "{claim} 为 {run}，脚本为 {script}",
    "the run reports an out-of-memory error": "运行报告显存不足",
    "the run reports an out-of-memory error after {steps} steps": (
        "运行在 {steps} 步之后报告显存不足"
    ),
    "{steps} steps; {least} are needed": "{steps} 步；需要 {least} 步",
    "the run's configuration does not say its batch": "运行的配置没有说明批量",
    "the run logged no step": "运行没有记录任何一步",
}

T = TypeVar("T")


def in_language(answer: T, language: Language) -> T:
    """An answer with its sentences in `language`; English is what it holds already."""
    return answer if language == "en" else cast("T", _again(answer))


def _again(value: Any) -> Any:
    if isinstance(value, Message):
        return translated(value, _catalogue())
    if isinstance(value, tuple):
        return tuple(map(_again, value))
    if is_dataclass(value) and not isinstance(value, type):
        changed = {field.name: _again(getattr(value, field.name)) for field in fields(value)}
        return replace(value, **changed)
    return value


@cache
def _catalogue() -> Mapping[str, str]:
    from bot.evidence.online.zh import SENTENCES as ONLINE
    from bot.evidence.zh import SENTENCES as EVIDENCE
    from bot.evidence.zh_reading import SENTENCES as READING

    return {**EVIDENCE, **READING, **ONLINE, **SENTENCES}
