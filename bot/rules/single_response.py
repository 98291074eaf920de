"""RLB045: GRPO with one response a prompt."""

from __future__ import annotations

from collections.abc import Iterator

from bot.rules._example import verl
from bot.rules._names import where
from bot.rules.base import Case, Example, Hit, Meta

META = Meta(
    id="RLB045",
    slug="single-response",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="An algorithm that compares the responses to a prompt generates one response a prompt.",
    why=(
        "GRPO and RLOO rate a response against the others to the same prompt. With one there is "
        "nothing to compare: the baseline falls away, and the memory measured is not that of GRPO."
    ),
    instead="Set the number of responses above 1 (verl: actor_rollout_ref.rollout.n=5).",
    limits="Knows grpo, rloo and their variants. Silent when the number cannot be known.",
    source=(
        "compute_grpo_outcome_advantage in verl/trainer/ppo/core_algos.py, which leaves a group of "
        "one uncentred; docs/algo/grpo.md asks for rollout.n above 1"
    ),
    example=Example(
        bad=verl("actor_rollout_ref.rollout.n=1"), good=verl("actor_rollout_ref.rollout.n=5")
    ),
)

_GROUPED = ("grpo", "rloo", "group_norm", "opo")


def check(case: Case) -> Iterator[Hit]:
    """Launches of a group algorithm with one response a prompt."""
    for plan in case.plans:
        algorithm, count = plan.algorithm.value, plan.rollout_n.value
        if algorithm is None or count != 1 or not algorithm.startswith(_GROUPED):
            continue
        default = ", the framework's default" if plan.rollout_n.default else ""
        key = plan.rollout_n.key
        yield Hit(
            message=f"{algorithm} with 1 response a prompt{default}: there is nothing to compare",
            span=where(plan, plan.rollout_n.span),
            help=f"set {key} above 1" if key else "generate several responses a prompt",
        )
