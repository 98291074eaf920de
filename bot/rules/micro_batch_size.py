"""RLB052: the micro batch over all GPUs does not fit the mini batch or the GPUs."""

from __future__ import annotations

from bot.base.messages import plural_message
from bot.frameworks.plan_values import PlanValues
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import ACTOR, LIMITS, SOURCE, gpus, has_text, is_fsdp, static

_STATIC = (
    "actor_rollout_ref.actor.use_dynamic_bsz=False",
    "actor_rollout_ref.actor.ppo_mini_batch_size=64",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
)

META = Meta(
    id="RLB052",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="ppo_micro_batch_size does not divide the mini batch, or is smaller than the GPUs.",
    why=(
        "ppo_micro_batch_size counts sequences over all GPUs. verl stops at its start when a mini "
        "batch is no multiple of it, or when it leaves a GPU without a sequence."
    ),
    instead="Use ppo_micro_batch_size_per_gpu, which has neither restriction at the start.",
    limits=LIMITS,
    source=SOURCE,
    example=Example(
        bad=verl(*_STATIC, "actor_rollout_ref.actor.ppo_micro_batch_size=24"),
        good=verl(*_STATIC, "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4"),
    ),
)


def check(context: RuleContext) -> Hits:
    """Verl's checks of the deprecated micro batch size of the actor."""
    key = f"{ACTOR}.ppo_micro_batch_size"
    for values in static(context):
        micro, mini = values.number(key), values.number(f"{ACTOR}.ppo_mini_batch_size")
        if not micro:
            continue
        if mini is not None and mini % micro and _is_refused(context, values, mini, micro):
            yield hit(
                values.place(key),
                "ppo_mini_batch_size {mini} is no multiple of ppo_micro_batch_size {micro}",
                mini=mini,
                micro=micro,
                help=message("use {key}_per_gpu", key=key),
            )
        total = gpus(values)
        parallel = values.number(f"{ACTOR}.ulysses_sequence_parallel_size")
        if total and is_fsdp(values) and parallel and micro * parallel < total:
            times = (
                message(" × sequence-parallel size {parallel}", parallel=parallel)
                if parallel > 1
                else ""
            )
            yield Hit(
                message=plural_message(
                    "ppo_micro_batch_size {micro}{times} is less than the {count} GPU",
                    "ppo_micro_batch_size {micro}{times} is less than the {count} GPUs",
                    total,
                    micro=micro,
                    times=times,
                ),
                span=values.place(key),
                help=message("use {key}_per_gpu", key=key),
            )


def _is_refused(context: RuleContext, values: PlanValues, mini: int, micro: int) -> bool:
    """Whether sizes that leave a rest over all GPUs leave one where verl looks.

    That is at its start since 0.2. In copies of an older verl each worker compares its shares
    (verl/workers/fsdp_workers.py and verl/workers/actor/dp_actor.py), which are rounded down.
    """
    checks = ("trainer/ppo/ray_trainer.py", "utils/config.py")
    if any(has_text(context, name, "validate_config(") for name in checks):
        return True
    total = gpus(values)
    return total is not None and micro >= total and mini // total % (micro // total) != 0
