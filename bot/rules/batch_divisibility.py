"""RLB040: the batch cannot be divided among the GPUs."""

from __future__ import annotations

from bot.base.messages import plural_message
from bot.frameworks.plan_values import PlanValues
from bot.rules._support import multiples
from bot.rules._support.base import Example, Hits, Message, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import (
    ACTOR,
    LIMITS,
    ROLLOUT,
    SOURCE,
    gpus,
    is_fsdp,
    model_parallel,
    refuses,
    static,
)

_STATIC = (
    "actor_rollout_ref.actor.use_dynamic_bsz=False",
    "actor_rollout_ref.actor.ppo_mini_batch_size=64",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
)

META = Meta(
    id="RLB040",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="Prompts × responses cannot be divided evenly among the GPUs.",
    why="verl stops at its start: each GPU must get the same number of sequences.",
    instead=(
        "Choose data.train_batch_size so that train_batch_size × rollout.n is a multiple of the "
        "GPUs (FSDP), or of data-parallel size × ppo_micro_batch_size_per_gpu (Megatron)."
    ),
    limits=(
        f"{LIMITS} Not checked with use_dynamic_bsz, where verl does not either, nor where the "
        "repository's own copy of verl has no such check."
    ),
    source=SOURCE,
    example=Example(
        bad=verl("data.train_batch_size=100", *_STATIC),
        good=verl("data.train_batch_size=128", *_STATIC),
    ),
)


def check(context: RuleContext) -> Hits:
    """Verl's first check: real_train_batch_size % minimal_bsz == 0."""
    for values in static(context):
        batch, n = values.number("data.train_batch_size"), values.number(f"{ROLLOUT}.n")
        least = _least(values)
        if batch is None or n is None or least is None or (batch * n) % least[0] == 0:
            continue
        if not refuses(context, "real_train_batch_size"):
            continue
        size, what = least
        yield hit(
            values.place("data.train_batch_size", f"{ROLLOUT}.n", "trainer.n_gpus_per_node"),
            "train_batch_size {batch} × rollout.n {n} = {product} is no multiple of {what}",
            batch=batch,
            n=n,
            product=batch * n,
            what=what,
            help=_help(batch, n, size),
        )


def _least(values: PlanValues) -> tuple[int, Message] | None:
    total = gpus(values)
    if not total:
        return None
    if is_fsdp(values):
        return total, plural_message("the {count} GPU", "the {count} GPUs", total)
    parallel = model_parallel(values)
    micro = values.number(f"{ACTOR}.ppo_micro_batch_size_per_gpu")
    if not parallel or not micro or total % parallel:
        return None
    ranks = total // parallel
    return ranks * micro, message(
        "{least} (data-parallel size {ranks} × micro batch {micro})",
        least=ranks * micro,
        ranks=ranks,
        micro=micro,
    )


def _help(batch: int, n: int, size: int) -> Message:
    step = multiples.step(n, size)
    lower, upper = multiples.below(batch, step), multiples.at_least(batch, step)
    if lower is None:
        return message("use {upper}", upper=upper)
    return message("use data.train_batch_size={lower} or {upper}", lower=lower, upper=upper)
