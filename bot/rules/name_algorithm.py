"""RLB014: the algorithm in the name is not the one that the settings use."""

from __future__ import annotations

from collections.abc import Iterator

from bot.rules._example import verl
from bot.rules._names import contradictions, where
from bot.rules.base import Case, Example, Hit, Meta

META = Meta(
    id="RLB014",
    slug="name-algorithm",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="The algorithm in the name is not the one that the settings use.",
    why=(
        "The Task column is made from it. PPO keeps a critic in memory that GRPO does not have, so "
        "the rows are not comparable."
    ),
    instead="Rename the file, or set the algorithm (verl: algorithm.adv_estimator).",
    limits=(
        "Only names of advantage estimators are compared: a recipe that builds on one, such as "
        "DAPO or GSPO on GRPO, is never reported. In verl the default is gae, which is PPO."
    ),
    source="verl's verl/trainer/ppo/core_algos.py, AdvantageEstimator",
    example=Example(
        bad=verl("algorithm.adv_estimator=rloo"), good=verl("algorithm.adv_estimator=grpo")
    ),
)

# A name's algorithm to the advantage estimators that it may mean.
_ESTIMATORS = {
    "ppo": {"gae"},
    "gae": {"gae"},
    "grpo": {"grpo", "grpo_passk", "grpo_vectorized", "group_norm"},
    "rloo": {"rloo", "rloo_vectorized"},
    "remax": {"remax"},
    "opo": {"opo"},
    "gpg": {"gpg"},
}
_KNOWN = frozenset().union(
    *_ESTIMATORS.values(), {"reinforce", "reinforce_plus_plus", "reinforce_plus_plus_baseline"}
)


def check(case: Case) -> Iterator[Hit]:
    """Compare the name's algorithm with the plan's."""
    named = case.name.algorithm
    meant = _ESTIMATORS.get(named or "")
    if meant is None:
        return

    def agrees(used: str) -> bool:
        return used in meant or used not in _KNOWN

    wanted = "gae" if "gae" in meant else str(named)
    for plan, algorithm, used in contradictions(case, lambda p: p.algorithm, agrees):
        wording = "gae (PPO)" if used == "gae" else used
        default = ", the framework's default" if algorithm.default else ""
        yield Hit(
            message=f"the name says {named}, the settings use {wording}{default}",
            span=where(plan, algorithm.span),
            help=f"set {algorithm.key}={_own(plan.framework, wanted)}, or rename the file"
            if algorithm.key
            else "rename the file, or change the algorithm",
        )


def _own(framework: str, algorithm: str) -> str:
    """The framework's own name of an estimator."""
    return "group_norm" if (framework, algorithm) == ("openrlhf", "grpo") else algorithm
