"""RLB042: the run is not logged to W&B."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import message
from bot.rules._support.base import Chinese, Example, Hit, Meta, RuleContext
from bot.rules._support.example import verl
from bot.rules._support.keys import shown
from bot.rules._support.names import asked, where

META = Meta(
    id="RLB042",
    slug="no-wandb-logger",
    severity="warning",
    confidence="certain",
    added_in="0.1.0",
    summary="The loggers do not include W&B.",
    why=(
        "The page asks for evidence from W&B for each row. Without the logger the script "
        "leaves none, and nobody who repeats it can compare."
    ),
    instead='Add wandb to the loggers (verl: trainer.logger=\'["console","wandb"]\').',
    limits=(
        "A note outside of a folder called tuning and of size folders. Silent when the loggers "
        "cannot be known, and when another launch of the script logs to W&B."
    ),
    source="https://github.com/volcengine/verl/blob/main/docs/perf/device_tuning.rst",
    example=Example(
        bad=verl("trainer.logger=console"), good=verl('trainer.logger=\'["console","wandb"]\'')
    ),
    zh=Chinese(
        summary="日志记录器不包含 W&B。",
        why="文档要求每一行都有来自 W&B 的证据。没有它，脚本留不下证据，重复实验的人也无从比较。",
        instead='在日志记录器中加入 wandb（verl：trainer.logger=\'["console","wandb"]\'）。',
        limits=(
            "不在名为 tuning 的目录或规模目录中时只是提示。日志记录器无法确定，或脚本的另一次"
            "启动使用 W&B 时不报告。"
        ),
        sentences={
            "the run is logged to {names}{default}, not to W&B": (
                "运行只记录到 {names}{default}，没有记录到 W&B"
            ),
            " by default": "（默认）",
            "nothing": "（无）",
            "write {how}: the page asks for evidence from W&B": (
                "应写 {how}：文档要求来自 W&B 的证据"
            ),
        },
    ),
)


def check(context: RuleContext) -> Iterator[Hit]:
    """The launches' loggers, when all are known and none has W&B."""
    loggers = [plan.loggers.value for plan in context.plans]
    if any(names is None or "wandb" in names for names in loggers):
        return
    for plan in context.plans:
        names = plan.loggers.value or ()
        default = message(" by default") if plan.loggers.default else ""
        example = 'trainer.logger=\'["console","wandb"]\''
        how = example if plan.framework == "verl" else shown(plan, plan.loggers.key or "use_wandb")
        yield Hit(
            message=message(
                "the run is logged to {names}{default}, not to W&B",
                names=_listed(names),
                default=default,
            ),
            span=where(plan, plan.loggers.span),
            severity=None if asked(context) else "note",
            help=message("write {how}: the page asks for evidence from W&B", how=how),
        )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) if names else message("nothing")
