"""RLB053: none, both, or the wrong one of the two forms of a micro batch size, or a size of 0."""

from __future__ import annotations

from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import PlanValue, PlanValues
from bot.report import Severity
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import STATIC, verl
from bot.rules._support.keys import title
from bot.rules._support.verl import (
    ACTOR,
    LIMITS,
    MICRO_SIZES,
    REF,
    SOURCE,
    doubted,
    per_gpu_help,
    static,
    unread_sizes,
)

META = Meta(
    id="RLB053",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary=(
        "A micro batch size is given in none of its two forms, in both, in the removed one, "
        "or as 0."
    ),
    why=(
        "Without use_dynamic_bsz verl needs the micro batch size of the actor, of the rollout's "
        "log-probabilities and of the reference, each over all GPUs or per GPU, but not both. "
        "Since verl 0.8.0 the workers take the size per GPU alone for actor and rollout, and stop "
        "with an AssertionError when only the deprecated form is given."
    ),
    instead="Set the form per GPU, such as ppo_micro_batch_size_per_gpu, or use_dynamic_bsz=True.",
    limits=(
        f"{LIMITS} The reference counts only when the KL loss or the KL reward needs it; the "
        "critic has a rule of its own. A warning where nobody names the release and an older one "
        "would start: 0.1 has a default, and up to 0.7.1 the deprecated form counts."
    ),
    source=(
        f"{SOURCE}; for 0.8.0 and later ActorRolloutRefWorker.init_model in "
        "verl/workers/engine_workers.py"
    ),
    example=Example(
        bad=verl("actor_rollout_ref.actor.use_dynamic_bsz=False"),
        good=verl(*STATIC),
    ),
)


def check(context: RuleContext) -> Hits:
    """Verl's checks that exactly one form is set, and that its workers can use it."""
    for values in static(context):
        for total in MICRO_SIZES:
            if total.startswith(REF) and not _needs_reference(values):
                continue
            over_all, per_gpu = values.get(total), values.get(f"{total}_per_gpu")
            if over_all is not None and per_gpu is not None and not _is_elsewhere(values, total):
                yield from _judge(values, total, over_all, per_gpu)


def _is_elsewhere(values: PlanValues, total: str) -> bool:
    """Whether a fork has the size in a section of its own, as of one for each of several agents.

    As `agent.agent_specific_parameters.actor.ppo_micro_batch_size_per_gpu=[4,4]`.
    """
    per_gpu = f"{total}_per_gpu"
    end = per_gpu.removeprefix("actor_rollout_ref")
    return any(one.key.endswith(end) and one.key != per_gpu for one in values.plan.settings)


def _judge(values: PlanValues, total: str, over_all: PlanValue, per_gpu: PlanValue) -> Hits:
    if over_all.value is not None and per_gpu.value is not None:
        yield hit(
            values.place(total, f"{total}_per_gpu"),
            "both {total} and {total}_per_gpu are set",
            total=total,
            help=message("remove {total}, which is deprecated", total=total),
        )
    elif per_gpu.value == 0:
        yield hit(
            values.place(f"{total}_per_gpu"),
            "{total}_per_gpu is 0: verl divides the batch by it",
            total=total,
            help=message("set it to 1 or more, or {actor}.use_dynamic_bsz=True", actor=ACTOR),
        )
    elif per_gpu.value is not None:
        return
    elif over_all.value is None:
        yield hit(
            values.place(),
            "{total}_per_gpu is not set, and use_dynamic_bsz is off",
            total=total,
            severity=doubted(values.plan, "0.1") or _early(values.plan),
            help=message(
                "set {total}_per_gpu, or {actor}.use_dynamic_bsz=True", total=total, actor=ACTOR
            ),
        )
    elif total in unread_sizes(values):
        setting = over_all.setting
        yield hit(
            setting.key_span if setting else values.place(),
            "{verl} needs {total}_per_gpu; its workers no longer read {total}",
            verl=title(values.plan),
            total=total,
            severity=doubted(values.plan, "0.7.1"),
            help=per_gpu_help(values, total),
        )


def _early(plan: Plan) -> Severity | None:
    """A warning where a script of no named release knows the older form alone, as TinyZero's do.

    verl had defaults until the form per GPU came, between 0.1 and 0.2.
    """
    keys = {setting.key for setting in plan.settings}
    per_gpu = any(key.endswith("_per_gpu") for key in keys)
    guessed = plan.configuration.guessed
    return "warning" if guessed and not per_gpu and not keys.isdisjoint(MICRO_SIZES) else None


def _needs_reference(values: PlanValues) -> bool:
    return (
        values.flag("algorithm.use_kl_in_reward") is True
        or values.flag(f"{ACTOR}.use_kl_loss") is True
    )
