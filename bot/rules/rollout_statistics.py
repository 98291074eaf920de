"""RLB085: a script of recommended settings whose engine logs no statistics."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import message
from bot.rules._support.base import Chinese, Example, Hit, Meta, RuleContext
from bot.rules._support.example import verl
from bot.rules._support.tuning import GUIDE, RECOMMENDED_ONLY, RECOMMENDED_ONLY_ZH, advised
from bot.rules._support.verl import ROLLOUT

_KEY = f"{ROLLOUT}.disable_log_stats"

META = Meta(
    id="RLB085",
    slug="rollout-statistics",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="A script tagged RECOMMENDED leaves the engine's statistics off.",
    why=(
        "Cache usage, preemptions and throughput of the engine are what its settings are tuned by. "
        "Without them a reader sees the setting, not whether it was right."
    ),
    instead=f"Set {_KEY}=False.",
    limits=RECOMMENDED_ONLY,
    source=f"{GUIDE}: before tuning, set disable_log_stats=False",
    example=Example(
        bad=verl(f"{_KEY}=True", before="# tag: RECOMMENDED"),
        good=verl(f"{_KEY}=False", before="# tag: RECOMMENDED"),
    ),
    zh=Chinese(
        summary="标记为 RECOMMENDED 的脚本关闭了推理引擎的统计日志。",
        why=(
            "调整引擎设置靠的正是缓存占用、抢占次数与吞吐。没有它们，读者只看到设置，看不出设置是否"
            "合适。"
        ),
        instead=f"设置 {_KEY}=False。",
        limits=RECOMMENDED_ONLY_ZH,
        sentences={
            "the engine logs no statistics, which its settings are tuned by": (
                "推理引擎不输出统计日志，而调整其设置正依赖于它"
            ),
            "set {key}=False": "设置 {key}=False",
        },
    ),
)


def check(context: RuleContext) -> Iterator[Hit]:
    """Recommended launches without statistics."""
    for values in advised(context, ("RECOMMENDED",)):
        if values.flag(_KEY) is True:
            yield Hit(
                message=message("the engine logs no statistics, which its settings are tuned by"),
                span=values.place(_KEY),
                help=message("set {key}=False", key=_KEY),
            )
