"""RLB045: GRPO with one response a prompt."""

from __future__ import annotations

from itertools import pairwise

from bot.frameworks.files.named_files import text_of
from bot.frameworks.hydra.rules import names_of
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import values_of, version_at_least
from bot.frameworks.settings.setting import UNKNOWN
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.names import where

META = Meta(
    id="RLB045",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="An algorithm that compares the responses to a prompt generates one response a prompt.",
    why=(
        "GRPO and RLOO rate a response against the others to the same prompt. With one there is "
        "nothing to compare: the baseline falls away, and the memory measured is not that of GRPO."
    ),
    instead="Set the number of responses above 1 (verl: actor_rollout_ref.rollout.n=5).",
    limits=(
        "Knows grpo, rloo and their variants. An error for OpenRLHF, which stops at its "
        "start. Silent when the number cannot be known, for distillation from a teacher, for "
        "validation alone, for SAC, for a trainer of the repository's own beside TRL, and where a "
        "program of the repository's own is given neither the algorithm nor the number. For "
        "releases of TRL that refuse one response the rule full-groups says so."
    ),
    source=(
        "compute_grpo_outcome_advantage in verl/trainer/ppo/core_algos.py, which leaves a group of "
        "one uncentred; docs/algo/grpo.md asks for rollout.n above 1"
    ),
    example=Example(
        bad=verl("actor_rollout_ref.rollout.n=1"), good=verl("actor_rollout_ref.rollout.n=5")
    ),
)

_COUNTS = (
    ".n",
    ".n_agent",
    ".n_repeat",
    ".n_samples",
    ".n_samples_per_prompt",
    ".num_generations",
    "_rollout_n",
)
_OTHERS = (
    "actor_rollout_ref.rollout.n",
    "actor_rollout_ref.rollout.val_kwargs.n",
)
"""The setting itself, and those that are about validation or generation alone."""
_GROUPED = ("grpo", "rloo", "group_norm", "opo")


def check(context: RuleContext) -> Hits:
    """Launches of a group algorithm with one response a prompt."""
    for plan in context.plans:
        algorithm, count = plan.algorithm.value, plan.rollout_n.value
        if algorithm is None or count != 1 or not algorithm.startswith(_GROUPED):
            continue
        if plan.rollout_n.default and (values_of(plan).open_ended or _of_its_own(plan)):
            continue
        if plan.framework == "trl" and (plan.own_trainer or _is_named(plan)):
            continue  # TRL's own refuses one; that of the repository may have a critic.
        # A teacher's distillation compares nothing, and validation trains nothing.
        if plan.framework == "verl" and (
            values_of(plan).flag("distillation.enabled")
            or _is_taught(plan)
            or _trains_nothing(plan)
            or _has_own_count(plan)
        ):
            continue
        default = message(", the framework's default") if plan.rollout_n.default else ""
        key = plan.rollout_n.key
        yield hit(
            where(plan, plan.rollout_n.span),
            "{algorithm} with 1 response a prompt{default}: there is nothing to compare",
            algorithm=algorithm,
            default=default,
            severity="error" if _refused(context, plan) else None,
            help=message("set {key} above 1", key=key)
            if key
            else message("generate several responses a prompt"),
        )


def _is_named(plan: Plan) -> bool:
    """Whether the rule full-groups says that TRL refuses it."""
    grpo = plan.algorithm.value == "grpo" and plan.table is not None
    return grpo and version_at_least(plan, 0, 18)


def _trains_nothing(plan: Plan) -> bool:
    """Whether the launch only validates, or is one of SAC's, which compares no responses."""
    epochs = values_of(plan).get("trainer.total_epochs")
    none = epochs is not None and epochs.value == 0
    named = plan.launch.entry.removesuffix(".py").rpartition(".")[2].split("_")
    other = any(name in named for name in ("sac", "validation", "eval"))
    return none or other or bool(values_of(plan).flag("trainer.val_only"))


def _of_its_own(plan: Plan) -> bool:
    """Whether a program that is not verl's leaves the algorithm open too: it may train by pairs."""
    return plan.algorithm.default and not plan.launch.entry.startswith("verl.")


def _is_taught(plan: Plan) -> bool:
    """Whether a fork's own distillation is on: `+opsd.enabled=True`.

    Or a teacher's logits stand in the place of rewards (`only_reverse_kl_advantages`).
    """
    on = [s.key.split(".") for s in plan.settings if s.value is True]
    if any(parts[-1].endswith("reverse_kl_advantages") for parts in on):
        return True
    sections = [parts[-2] for parts in on if parts[-1] == "enabled" and len(parts) > 1]
    return any("distill" in section or section in ("opd", "opsd") for section in sections)


def _has_own_count(plan: Plan) -> bool:
    """Whether a fork has its own number of responses: rollout.n_agent, agent_grpo.n."""
    counts: dict[str, object] = {}
    if plan.configuration.source == "tree" and isinstance(plan.table, HydraTable):
        keys = [key for key in names_of(plan.table.tree) if key.endswith(_COUNTS)]
        counts = {key: found.default for key in keys if (found := plan.table.get(key))}
    counts |= {s.key: s.value for s in plan.settings if s.key.endswith(_COUNTS)}
    own = (value for key, value in counts.items() if key not in _OTHERS)
    return any(value is UNKNOWN or (isinstance(value, int) and value > 1) for value in own)


def _refused(context: RuleContext, plan: Plan) -> bool:
    """True when OpenRLHF's Ray trainer asserts against it at its start (since 0.6.0)."""
    if plan.framework != "openrlhf" or plan.table is None:
        return False
    found = values_of(plan).first("algo.advantage.estimator", "advantage_estimator")
    if found is None or found.value not in ("rloo", "group_norm"):
        return False
    return version_at_least(plan, 0, 6) or _asserts(context, plan, found.value)


def _asserts(context: RuleContext, plan: Plan, estimator: str) -> bool:
    """Whether a copy of OpenRLHF refuses one response with an estimator."""
    place = context.place
    program = f"/{plan.launch.entry.rpartition('.')[2]}.py"
    paths = place.checkout.openrlhf.paths(place.path) if place is not None else ()
    texts = (
        text_of(place.checkout.files, path).splitlines()
        for path in paths
        if place is not None and path.endswith(program)
    )
    return any(
        f'"{estimator}"' in condition and "assert" in line and "n_samples_per_prompt > 1" in line
        for lines in texts
        for condition, line in pairwise(lines)
    )
