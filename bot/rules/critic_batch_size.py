"""RLB058: the critic's batch sizes contradict each other or the batch."""

from __future__ import annotations

from bot.frameworks.plan_values import PlanValues, version_at_least
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import LIMITS, compares_batch, doubted, needs_critic, trainers

_MINI = "critic.ppo_mini_batch_size"
_MICRO = "critic.ppo_micro_batch_size"
_PPO = (
    "algorithm.adv_estimator=gae",
    "data.train_batch_size=256",
    "critic.model.path=Qwen/Qwen2.5-7B-Instruct",
    "critic.use_dynamic_bsz=False",
)
_PATH = "examples/tuning/7b/qwen2.5-7b_ppo_8_h100_fsdp_vllm.sh"

META = Meta(
    id="RLB058",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="The critic's batch sizes contradict each other, or one that it needs is missing.",
    why=(
        "With use_dynamic_bsz off, verl checks at its start that the critic has exactly one form "
        "of the micro batch size, that its mini batch is a multiple of it, and that the mini batch "
        "is no larger than train_batch_size."
    ),
    instead="Set critic.ppo_micro_batch_size_per_gpu, or critic.use_dynamic_bsz=True.",
    limits=f"{LIMITS} Only where there is a critic: gae, or critic.enable=True.",
    source=(
        "CriticConfig.__post_init__ and validate in verl/workers/config/critic.py (since 0.6.0); "
        "_validate_config in verl/trainer/ppo/ray_trainer.py before"
    ),
    example=Example(
        bad=verl(*_PPO),
        good=verl(*_PPO, f"{_MICRO}_per_gpu=4"),
        path=_PATH,
    ),
)


def check(context: RuleContext) -> Hits:
    """Verl's checks of the critic."""
    for values in trainers(context):
        if not needs_critic(values) or values.flag("critic.use_dynamic_bsz") is not False:
            continue
        yield from _forms(values)
        mini, micro = values.number(_MINI), values.number(_MICRO)
        if mini and micro and mini % micro:
            yield hit(
                values.place(_MICRO, _MINI),
                "the critic's ppo_mini_batch_size {mini} is no multiple of {key} {micro}",
                mini=mini,
                key=_MICRO,
                micro=micro,
                help=message("use {key}_per_gpu", key=_MICRO),
            )
        batch = values.number("data.train_batch_size")
        # An equal mini batch of the actor is told by the rule mini-batch-size.
        if not mini or not batch or mini <= batch or not values.plan.last(_MINI):
            continue
        if compares_batch(context, "critic"):
            yield hit(
                values.place(_MINI),
                "the critic's ppo_mini_batch_size {mini} is larger than train_batch_size {batch}",
                mini=mini,
                batch=batch,
                help=message("use {key}={batch}", key=_MINI, batch=batch),
            )


def _forms(values: PlanValues) -> Hits:
    over_all, per_gpu = values.get(_MICRO), values.get(f"{_MICRO}_per_gpu")
    if per_gpu is None and values.plan.last(f"{_MICRO}_per_gpu") is None:
        per_gpu = over_all  # By default it follows the other: ${oc.select:.ppo_micro_batch_size}.
    if over_all is None or per_gpu is None or not version_at_least(values.plan, 0, 2):
        return
    if over_all.value is not None and per_gpu.value is not None:
        if per_gpu is over_all:
            return
        yield hit(
            values.place(_MICRO),
            "both {key} and {key}_per_gpu are set",
            key=_MICRO,
            help=message("remove {key}, which is deprecated", key=_MICRO),
        )
    elif over_all.value is None and per_gpu.value is None:
        yield hit(
            values.place(),
            "{key}_per_gpu is not set, and critic.use_dynamic_bsz is off",
            key=_MICRO,
            severity=doubted(values.plan, "0.1"),
            help=message("set {key}_per_gpu, or critic.use_dynamic_bsz=True", key=_MICRO),
        )
