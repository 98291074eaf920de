"""RLB040: the batch cannot be divided among the GPUs."""

from __future__ import annotations

from bot.base.messages import plural_message
from bot.frameworks.plan_values import PlanValues, version_at_least
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
    only_validates,
    own_source,
    refuses,
    trainers,
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
    why=(
        "verl stops at its start, or before 0.5 when it first generates: each GPU must get the "
        "same number of sequences."
    ),
    instead=(
        "Choose data.train_batch_size so that train_batch_size × rollout.n is a multiple of the "
        "GPUs (FSDP), or of data-parallel size × ppo_micro_batch_size_per_gpu (Megatron). Before "
        "verl 0.5 train_batch_size itself must be a multiple of the GPUs."
    ),
    limits=(
        f"{LIMITS} Not checked with use_dynamic_bsz, where verl does not either, nor where the "
        "repository's own copy of verl has no such check. The prompts alone are looked at for FSDP "
        "in the releases 0.2 to 0.4.1, not with rollout.mode=async nor for a copy of verl."
    ),
    source=(
        f"{SOURCE}; RayPPOTrainer.fit in verl/trainer/ppo/ray_trainer.py and DataProto.chunk in "
        "verl/protocol.py (0.2 to 0.4.1), which divide the prompts before they are repeated"
    ),
    example=Example(
        bad=verl("data.train_batch_size=100", *_STATIC),
        good=verl("data.train_batch_size=128", *_STATIC),
    ),
)


def check(context: RuleContext) -> Hits:
    """Verl's first check: real_train_batch_size % minimal_bsz == 0, and what it generates from."""
    for values in trainers(context):
        batch, n = values.number("data.train_batch_size"), values.number(f"{ROLLOUT}.n")
        total = gpus(values)
        if batch is not None and total and batch % total and _divides_prompts(context, values):
            yield hit(
                values.place("data.train_batch_size", "trainer.n_gpus_per_node"),
                "train_batch_size {batch} is no multiple of {what}, among which verl divides the "
                "prompts before 0.5",
                batch=batch,
                what=_gpus(total),
                severity="warning" if values.plan.configuration.guessed else None,
                help=_help(batch, 1, total),
            )
            continue
        if values.flag(f"{ACTOR}.use_dynamic_bsz") is not False:
            continue
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


def _divides_prompts(context: RuleContext, values: PlanValues) -> bool:
    """Whether the prompts are divided among the GPUs before they are repeated rollout.n times.

    Forks may repeat them earlier; without `rollout.n` verl is older than 0.2. DataProtoConfig of
    verl/protocol.py pads them where VERL_AUTO_PADDING says so (0.4.0 and later).
    """
    key = f"{ROLLOUT}.mode"
    synchronous = key not in (values.plan.table or ()) or values.text(key) == "sync"
    return (
        synchronous
        and "VERL_AUTO_PADDING" not in values.plan.launch.command.environment
        and is_fsdp(values)
        and values.number(f"{ROLLOUT}.n") is not None
        and not version_at_least(values.plan, 0, 5)
        and own_source(context) is None
        and not only_validates(values)
    )


def _gpus(total: int) -> Message:
    return plural_message("the {count} GPU", "the {count} GPUs", total)


def _least(values: PlanValues) -> tuple[int, Message] | None:
    total = gpus(values)
    if not total:
        return None
    if is_fsdp(values):
        return total, _gpus(total)
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
