"""RLB073: forward passes alone are given less than updates."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.tuning import GUIDE, advised
from bot.rules._support.verl import ACTOR, REF, ROLLOUT

_ACTOR = f"{ACTOR}.ppo_max_token_len_per_gpu"
_ACTOR_MICRO = f"{ACTOR}.ppo_micro_batch_size_per_gpu"

META = Meta(
    id="RLB073",
    severity="note",
    confidence="high",
    added_in="0.1.0",
    summary="The log-probabilities' batch limit is below the one of the update.",
    why=(
        "A forward pass keeps no activations for a backward one, so it has room for more tokens "
        "than the update. A smaller limit only makes it slower."
    ),
    instead="Make the limits of rollout and reference at least as large as the actor's.",
    limits="Only limits that the script sets itself; by default they follow the actor's.",
    source=f"{GUIDE}: forward-only parameters can be larger",
    example=Example(
        bad=verl(f"{_ACTOR}=16384", f"{ROLLOUT}.log_prob_max_token_len_per_gpu=8192"),
        good=verl(f"{_ACTOR}=16384", f"{ROLLOUT}.log_prob_max_token_len_per_gpu=32768"),
    ),
)

_PAIRS = (
    ("log_prob_max_token_len_per_gpu", _ACTOR, True),
    ("log_prob_micro_batch_size_per_gpu", _ACTOR_MICRO, False),
)


def check(context: RuleContext) -> Hits:
    """Compare the limits of rollout and reference with the actor's."""
    for values in advised(context):
        dynamic = values.flag(f"{ACTOR}.use_dynamic_bsz")
        for name, of_actor, when in _PAIRS:
            for part in (ROLLOUT, REF):
                key = f"{part}.{name}"
                limit, actor = values.number(key), values.number(of_actor)
                if dynamic is not when or not values.plan.last(key) or not limit or not actor:
                    continue
                if limit < actor:
                    yield hit(
                        values.place(key),
                        "{key} {limit} is below the actor's {actor}, though it runs forward only",
                        key=key,
                        limit=limit,
                        actor=actor,
                        help=message("use {actor} or more", actor=actor),
                    )
