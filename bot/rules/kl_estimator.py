"""RLB103: a way of estimating the KL divergence that verl does not have."""

from __future__ import annotations

import difflib
from typing import Final

from bot.frameworks.plan_values import PlanValues, values_of, version_at_least
from bot.report import Severity
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import ACTOR, ENTRY, has_code_for

_TYPE, _PENALTY = f"{ACTOR}.kl_loss_type", "algorithm.kl_penalty"
_LOSS, _REWARD = f"{ACTOR}.use_kl_loss", "algorithm.use_kl_in_reward"

META = Meta(
    id="RLB103",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="kl_loss_type or kl_penalty is no estimator of the KL divergence that verl knows.",
    why=(
        "verl looks the name up when it first needs it, after a whole rollout, and stops with a "
        "NotImplementedError without a word."
    ),
    instead="Use low_var_kl, kl, abs or mse; k1, k2 and k3 are other names of three of them.",
    limits=(
        "Only where the estimator is used: kl_loss_type with use_kl_loss, kl_penalty with "
        "use_kl_in_reward. Silent for a name that the repository's own copy of verl writes, or "
        "that the repository registers. A warning for other programs than "
        "`verl.trainer.main_ppo`, and there only for names that are nearly known. k1, k2 and k3 "
        "are known since 0.4.0, those that end with + since 0.8.0."
    ),
    source="kl_penalty and kl_penalty_forward in verl/trainer/ppo/core_algos.py (0.2 to 0.9.1)",
    example=Example(
        bad=verl(f"{_LOSS}=True", f"{_TYPE}=low_var_k1"),
        good=verl(f"{_LOSS}=True", f"{_TYPE}=low_var_kl"),
    ),
)

_NAMES: Final = ("low_var_kl", "kl", "abs", "mse")
_SHORT: Final = ("k1", "k2", "k3")


def check(context: RuleContext) -> Hits:
    """The names of the estimators that a launch uses."""
    for plan in context.plans:
        if plan.framework != "verl" or not (plan.last(_TYPE) or plan.last(_PENALTY)):
            continue  # The defaults are known.
        values = values_of(plan)
        for key, used in ((_TYPE, values.flag(_LOSS)), (_PENALTY, _in_reward(values))):
            name = values.text(key)
            if used and name is not None and not _is_known(values, name):
                yield from _hit(context, values, key, name)


def _in_reward(values: PlanValues) -> bool | None:
    """Whether the divergence is taken off the reward; before 0.4.0 it is where no loss has it."""
    if values.plan.table is not None and _REWARD not in values.plan.table:
        return values.flag(_LOSS) is False
    return values.flag(_REWARD)


def _is_known(values: PlanValues, name: str) -> bool:
    plus = name.endswith("+")
    if plus and values.plan.configuration.source != "tree" and not _since(values, 0, 8):
        return False
    base = name.removesuffix("+")
    return base in _NAMES or (base in _SHORT and _since(values, 0, 4))


def _since(values: PlanValues, *release: int) -> bool:
    return version_at_least(values.plan, *release)


def _hit(context: RuleContext, values: PlanValues, key: str, name: str) -> Hits:
    known = (*_NAMES, *_SHORT) if _since(values, 0, 4) else _NAMES
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.7)
    severity: Severity | None = None if values.plan.launch.entry == ENTRY else "warning"
    if (severity and not near) or has_code_for(context, name):
        return
    yield hit(
        values.place(key),
        "{key} {name} is none that verl knows: {known}",
        key=key,
        name=name,
        known=", ".join(known),
        severity=severity,
        help=message("did you mean {near}?", near=near[0]) if near else message("use one of them"),
    )
