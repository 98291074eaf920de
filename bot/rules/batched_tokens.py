"""RLB076: the engine schedules few tokens at a time."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.tuning import FAST, GUIDE, NOT_MIN, advised
from bot.rules._support.verl import ROLLOUT

_KEY = f"{ROLLOUT}.max_num_batched_tokens"

META = Meta(
    id="RLB076",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="max_num_batched_tokens is 2048 or less.",
    why="The engine then decodes few requests at a time. The guide asks for more than 2048.",
    instead="Use 8192, which is verl's default, or more.",
    limits=f"Only vLLM. {NOT_MIN}",
    source=f"{GUIDE}, section on rollout generation",
    example=Example(bad=verl(f"{_KEY}=2048"), good=verl(f"{_KEY}=8192")),
)


def check(context: RuleContext) -> Hits:
    """Launches that limit the engine's batch."""
    for values in advised(context, FAST):
        tokens = values.number(_KEY)
        if tokens and tokens <= 2048 and values.text(f"{ROLLOUT}.name") == "vllm":
            yield hit(
                values.place(_KEY),
                "max_num_batched_tokens {tokens} keeps the engine's batches small",
                tokens=tokens,
                help=message("use 8192, the default, or more"),
            )
