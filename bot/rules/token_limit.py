"""RLB064: a token limit that the longest sequence does not fit."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import (
    ACTOR,
    LIMITS,
    is_fsdp,
    only_validates,
    sequence_length,
    sequence_parallel,
    trainers,
)

_LIMIT = f"{ACTOR}.ppo_max_token_len_per_gpu"
_LENGTHS = ("data.max_prompt_length=1024", "data.max_response_length=8192")

META = Meta(
    id="RLB064",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="ppo_max_token_len_per_gpu is below one sequence of the greatest length.",
    why=(
        "With use_dynamic_bsz a micro batch holds at least one sequence. verl asserts that the "
        "limit is no smaller than the longest one, so the training stops at the first full-length "
        "response."
    ),
    instead=(
        "Make ppo_max_token_len_per_gpu × sequence-parallel size at least max_prompt_length + "
        "max_response_length."
    ),
    limits=f"{LIMITS} Only FSDP, and only with use_dynamic_bsz.",
    source=(
        "rearrange_micro_batches in verl/utils/seqlen_balancing.py: max_token_len must be greater "
        "than the sequence length"
    ),
    example=Example(bad=verl(*_LENGTHS, f"{_LIMIT}=8192"), good=verl(*_LENGTHS, f"{_LIMIT}=18432")),
)


def check(context: RuleContext) -> Hits:
    """Compare the limit with prompt + response."""
    for values in trainers(context):
        if values.flag(f"{ACTOR}.use_dynamic_bsz") is not True or only_validates(values):
            continue
        if not is_fsdp(values):
            continue
        limit, parallel = values.number(_LIMIT), sequence_parallel(values)
        lengths = sequence_length(values)
        if not limit or not parallel or not lengths or limit * parallel >= sum(lengths):
            continue
        times = message(" × sequence-parallel size {size}", size=parallel) if parallel > 1 else ""
        yield hit(
            values.place(_LIMIT, "data.max_response_length", "data.max_prompt_length"),
            "ppo_max_token_len_per_gpu {limit}{times} is below one sequence of {length} tokens "
            "(max_prompt_length {prompt} + max_response_length {response})",
            limit=limit,
            times=times,
            length=sum(lengths),
            prompt=lengths[0],
            response=lengths[1],
            help=message(
                "use {key}={better} or more", key=_LIMIT, better=-(-sum(lengths) // parallel)
            ),
        )
