"""RLB051: the mini batch is larger than the batch."""

from __future__ import annotations

from bot.frameworks.plan_values import version_at_least
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import STATIC, verl
from bot.rules._support.verl import ACTOR, LIMITS, SOURCE, compares_batch, static

_STATIC = (*STATIC, "data.train_batch_size=128")

META = Meta(
    id="RLB051",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="ppo_mini_batch_size is larger than train_batch_size.",
    why="A step would have less than one update; verl stops at its start.",
    instead="Make ppo_mini_batch_size (256 by default) at most data.train_batch_size.",
    limits=(
        f"{LIMITS} Not checked with use_dynamic_bsz, where verl does not either, nor where the "
        "repository's own copy of verl has no such check."
    ),
    source=SOURCE,
    example=Example(
        bad=verl(*_STATIC, "actor_rollout_ref.actor.ppo_mini_batch_size=256"),
        good=verl(*_STATIC, "actor_rollout_ref.actor.ppo_mini_batch_size=128"),
    ),
)


def check(context: RuleContext) -> Hits:
    """Verl's check that train_batch_size >= actor.ppo_mini_batch_size (since 0.3.0)."""
    for values in static(context):
        key = f"{ACTOR}.ppo_mini_batch_size"
        batch, mini = values.number("data.train_batch_size"), values.number(key)
        if (
            batch is None
            or mini is None
            or batch >= mini
            or not version_at_least(values.plan, 0, 3)
            or not compares_batch(context, "actor")
        ):
            continue
        default = "" if values.plan.last(key) else message(", verl's default,")
        yield hit(
            values.place(key, "data.train_batch_size"),
            "ppo_mini_batch_size {mini}{default} is larger than train_batch_size {batch}",
            mini=mini,
            default=default,
            batch=batch,
            help=message(
                "use {key}={batch}, or a larger data.train_batch_size", key=key, batch=batch
            ),
        )
