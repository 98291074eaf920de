"""RLB101: open-instruct's packs are shorter than one prompt with its response."""

from __future__ import annotations

from bot.frameworks.plan_values import values_of
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import open_instruct

_KEYS = ("pack_length", "max_prompt_token_length", "response_length")

META = Meta(
    id="RLB101",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="pack_length is below max_prompt_token_length + response_length.",
    why="open-instruct packs whole sequences; it asserts at its start that the longest one fits.",
    instead="Make pack_length at least the sum of the two lengths.",
    limits="open-instruct's GRPO trainers. Silent when one of the three cannot be known.",
    source=(
        "StreamingDataLoaderConfig.__post_init__ in open_instruct/data_loader.py: "
        "https://github.com/allenai/open-instruct/blob/main/open_instruct/data_loader.py"
    ),
    example=Example(
        bad=open_instruct(
            "--pack_length 2048", "--max_prompt_token_length 1024", "--response_length 2048"
        ),
        good=open_instruct(
            "--pack_length 4096", "--max_prompt_token_length 1024", "--response_length 2048"
        ),
        path="scripts/grpo.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """open-instruct's assertion on the three lengths."""
    for plan in context.plans:
        if (
            plan.framework != "open-instruct"
            or plan.table is None
            or "grpo" not in (plan.algorithm.value or "")
        ):
            continue
        values = values_of(plan)
        pack, prompt, response = (values.number(key) for key in _KEYS)
        if not pack or not prompt or not response or pack >= prompt + response:
            continue
        yield hit(
            values.place(*_KEYS),
            "pack_length {pack} is below max_prompt_token_length {prompt} + response_length "
            "{response} = {length}",
            pack=pack,
            prompt=prompt,
            response=response,
            length=prompt + response,
            help=message("use --pack_length {length}", length=prompt + response),
        )
