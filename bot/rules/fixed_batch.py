"""RLB071: micro batches hold a fixed number of sequences."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import STATIC, verl
from bot.rules._support.tuning import FAST, GUIDE, NOT_MIN, advised
from bot.rules._support.verl import ACTOR

_KEY = f"{ACTOR}.use_dynamic_bsz"

META = Meta(
    id="RLB071",
    severity="note",
    confidence="high",
    added_in="0.1.0",
    summary="use_dynamic_bsz is off.",
    why=(
        "A fixed number of sequences holds few tokens when responses are short. With "
        "use_dynamic_bsz a micro batch is filled up to a number of tokens instead."
    ),
    instead=f"Set {_KEY}=True and tune ppo_max_token_len_per_gpu.",
    limits=f"{NOT_MIN} Megatron and FSDP alike.",
    source=f"{GUIDE}, section on dynamic batch size",
    example=Example(
        bad=verl(*STATIC),
        good=verl(f"{_KEY}=True"),
    ),
)


def check(context: RuleContext) -> Hits:
    """Launches without dynamic batches."""
    for values in advised(context, FAST):
        if values.flag(_KEY) is False:
            yield hit(
                values.place(_KEY, f"{ACTOR}.ppo_micro_batch_size_per_gpu"),
                "use_dynamic_bsz is off: micro batches hold a fixed number of sequences",
                help=message("set {key}=True and tune ppo_max_token_len_per_gpu", key=_KEY),
            )
