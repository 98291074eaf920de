"""RLB107: a name that verl's release has no code for."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from bot.base.fast_dataclass import dataclass
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import PlanValues, values_of, version_at_least
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import ACTOR, ENTRY, own_source

_CORRECTION = "algorithm.rollout_correction"
_OLD_REJECTION = ("token", "sequence", "geometric")
_REJECTION = (
    *(f"token_k{n}" for n in (1, 2, 3)),
    *(f"seq_{over}_k{n}" for over in ("sum", "mean") for n in (1, 2, 3)),
    *("seq_max_k2", "seq_max_k3"),
)

META = Meta(
    id="RLB107",
    severity="error",
    confidence="certain",
    added_in="0.2.0",
    summary="A schedule of the learning rate, or a correction of the rollout, that verl lacks.",
    why=(
        "FSDP's workers know two schedules, not those of transformers, and stop when they make the "
        "optimizer. The ways to reject samples were renamed in 0.7.1; another name stops the first "
        "step, after its rollout."
    ),
    instead=(
        "Use constant or cosine; token or sequence for rollout_is; token_k1 to token_k3, seq_sum_, "
        "seq_mean_k1 to k3, seq_max_k2 or k3 for rollout_rs, up to 0.7.0 token, sequence or "
        "geometric."
    ),
    limits=(
        "Schedules of FSDP alone, since 0.4; corrections of `verl.trainer.main_ppo` alone, since "
        "0.6.1. Silent for a name that the repository's own copy of verl writes, and where nobody "
        "names the release for one that another release has."
    ),
    source=(
        "FSDPOptimizerConfig in verl/workers/config/optimizer.py (since 0.6.0, before that "
        "verl/workers/fsdp_workers.py); verl/trainer/ppo/rollout_corr_helper.py (since 0.6.1)"
    ),
    example=Example(
        bad=verl(f"{ACTOR}.optim.lr_scheduler_type=linear"),
        good=verl(f"{ACTOR}.optim.lr_scheduler_type=cosine"),
    ),
)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A setting and the names that the release has for it."""

    key: str
    names: Sequence[str]


def check(context: RuleContext) -> Hits:
    """The names that a launch gives, where they decide something."""
    for plan in context.plans:
        if plan.framework != "verl":
            continue
        values = values_of(plan)
        for choice in (*_schedules(values), *_corrections(values)):
            if plan.last(choice.key) is None:
                continue  # What a configuration says by default is known.
            for name in (values.text(choice.key) or "").split(","):
                if (written := name.strip()) and written not in choice.names:
                    yield from _hit(context, values, choice, written)


def _schedules(values: PlanValues) -> Iterator[_Choice]:
    if not version_at_least(values.plan, 0, 4):
        return
    fine_tuning = values.plan.launch.entry.endswith(".sft_trainer")
    below = {"": "engine.strategy"} if fine_tuning else _ROLES
    for role, strategy in below.items():
        if values.text(strategy) in ("fsdp", "fsdp2"):
            for name in ("lr_scheduler_type", "warmup_style"):
                yield _Choice(f"{role}optim.{name}", ("constant", "cosine"))


_ROLES = {f"{ACTOR}.": f"{ACTOR}.strategy", "critic.": "critic.strategy"}
"""Prefix of a role's settings to the one that says its backend."""


def _corrections(values: PlanValues) -> Iterator[_Choice]:
    plan = values.plan
    if plan.launch.entry == ENTRY and version_at_least(plan, 0, 6, 1):
        yield _Choice(f"{_CORRECTION}.rollout_is", ("token", "sequence"))
        yield _Choice(f"{_CORRECTION}.rollout_rs", _rejections(plan))


def _rejections(plan: Plan) -> Sequence[str]:
    if plan.configuration.guessed:
        return (*_REJECTION, *_OLD_REJECTION)
    return _REJECTION if version_at_least(plan, 0, 7, 1) else _OLD_REJECTION


def _hit(context: RuleContext, values: PlanValues, choice: _Choice, name: str) -> Hits:
    own = own_source(context)
    if own is not None and own.has(name):
        return
    near = difflib.get_close_matches(name, choice.names, n=1)
    yield hit(
        values.place(choice.key),
        "{key} {name} is none that verl knows: {known}",
        key=choice.key,
        name=name,
        known=", ".join(choice.names),
        help=message("did you mean {near}?", near=near[0]) if near else message("use one of them"),
    )
