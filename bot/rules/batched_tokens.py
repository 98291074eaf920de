"""RLB076: the engine schedules few tokens at a time."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import message
from bot.rules._support.base import Chinese, Example, Hit, Meta, RuleContext
from bot.rules._support.example import verl
from bot.rules._support.tuning import FAST, GUIDE, NOT_MIN, NOT_MIN_ZH, advised
from bot.rules._support.verl import ROLLOUT

_KEY = f"{ROLLOUT}.max_num_batched_tokens"

META = Meta(
    id="RLB076",
    slug="batched-tokens",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="max_num_batched_tokens is 2048 or less.",
    why="The engine then decodes few requests at a time. The guide asks for more than 2048.",
    instead="Use 8192, which is verl's default, or more.",
    limits=f"Only vLLM. {NOT_MIN}",
    source=f"{GUIDE}, section on rollout generation",
    example=Example(bad=verl(f"{_KEY}=2048"), good=verl(f"{_KEY}=8192")),
    zh=Chinese(
        summary="max_num_batched_tokens 不大于 2048。",
        why="引擎每次只能调度很少的请求。指南建议大于 2048。",
        instead="使用 8192（verl 的默认值）或更大。",
        limits=f"只检查 vLLM。{NOT_MIN_ZH}",
        sentences={
            "max_num_batched_tokens {tokens} keeps the engine's batches small": (
                "max_num_batched_tokens 为 {tokens}，引擎的批量偏小"
            ),
            "use 8192, the default, or more": "改用默认值 8192 或更大",
        },
    ),
)


def check(context: RuleContext) -> Iterator[Hit]:
    """Launches that limit the engine's batch."""
    for values in advised(context, FAST):
        tokens = values.number(_KEY)
        if tokens and tokens <= 2048 and values.text(f"{ROLLOUT}.name") == "vllm":
            yield Hit(
                message=message(
                    "max_num_batched_tokens {tokens} keeps the engine's batches small",
                    tokens=tokens,
                ),
                span=values.place(_KEY),
                help=message("use 8192, the default, or more"),
            )
