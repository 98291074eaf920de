"""RLB072: a token limit below two of the longest sequences."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.tuning import FAST, GUIDE, NOT_MIN, advised
from bot.rules._support.verl import ACTOR, sequence_length, sequence_parallel

_KEY = f"{ACTOR}.ppo_max_token_len_per_gpu"
_LENGTHS = ("data.max_prompt_length=2048", "data.max_response_length=8192")

META = Meta(
    id="RLB072",
    severity="note",
    confidence="high",
    added_in="0.1.0",
    summary="ppo_max_token_len_per_gpu is below twice the longest sequence.",
    why=(
        "A micro batch then often holds one sequence alone, and the gain of use_dynamic_bsz is "
        "lost. The guide asks for two to three of the longest ones."
    ),
    instead="Use 2 × (max_prompt_length + max_response_length) or more, divided by Ulysses' size.",
    limits=f"{NOT_MIN} A limit below one sequence is told by token-limit.",
    source=f"{GUIDE}, section on tuning dynamic batch size",
    example=Example(bad=verl(*_LENGTHS, f"{_KEY}=16384"), good=verl(*_LENGTHS, f"{_KEY}=20480")),
)


def check(context: RuleContext) -> Hits:
    """Compare the limit with twice prompt + response."""
    for values in advised(context, FAST):
        limit, lengths = values.number(_KEY), sequence_length(values)
        parallel = sequence_parallel(values)
        if values.flag(f"{ACTOR}.use_dynamic_bsz") is not True or not limit or not lengths:
            continue
        length = sum(lengths)
        if parallel and length <= limit * parallel < 2 * length:
            yield hit(
                values.place(_KEY),
                "ppo_max_token_len_per_gpu {limit} is below 2 × {length} tokens, "
                "the longest sequence",
                limit=limit,
                length=length,
                help=message(
                    "use {key}={better} or more", key=_KEY, better=-(-2 * length // parallel)
                ),
            )
