"""RLB083: very long sequences on one GPU each."""

from __future__ import annotations

from bot.base.messages import pmessage
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit
from bot.rules._support.example import verl
from bot.rules._support.tuning import GUIDE, advised
from bot.rules._support.verl import (
    SEQUENCE_SIZES,
    gpus,
    is_fsdp,
    sequence_length,
    sequence_parallel,
    sequence_sizes,
)

_SIZE = SEQUENCE_SIZES[1]
_LENGTHS = ("data.max_prompt_length=2048", "data.max_response_length=32768")
_LONG = 32768

META = Meta(
    id="RLB083",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="Sequences may be longer than 32k tokens, without sequence parallelism.",
    why=(
        "One such sequence has to fit one GPU with all of its activations and logits. Ulysses "
        "divides it among several."
    ),
    instead=(
        f"Set {_SIZE} (before verl 0.8 {SEQUENCE_SIZES[0]}) to 2, 4 or 8, a divisor of the "
        "attention heads."
    ),
    limits="FSDP with more than one GPU. The lengths are the greatest that the script allows.",
    source=f"{GUIDE}, section on Ulysses",
    example=Example(
        bad=verl(*_LENGTHS, "actor_rollout_ref.actor.ppo_max_token_len_per_gpu=70000"),
        good=verl(
            *_LENGTHS, f"{_SIZE}=4", "actor_rollout_ref.actor.ppo_max_token_len_per_gpu=20000"
        ),
    ),
)


def check(context: RuleContext) -> Hits:
    """FSDP launches with long sequences and no Ulysses."""
    for values in advised(context):
        lengths, many = sequence_length(values), (gpus(values) or 1) > 1
        fsdp = is_fsdp(values)
        if fsdp and many and lengths and sum(lengths) > _LONG and sequence_parallel(values) == 1:
            yield hit(
                values.place("data.max_response_length", "data.max_prompt_length"),
                "sequences of up to {length} tokens without sequence parallelism",
                length=sum(lengths),
                help=pmessage("long-context", "set {key} above 1", key=sequence_sizes(values)[0]),
            )
