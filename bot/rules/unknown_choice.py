"""RLB107: a name that the framework has no code for."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from bot.base.fast_dataclass import dataclass
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import PlanValues, values_of, version_at_least
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.keys import shown, texts
from bot.rules._support.trl_refusals import has_own_trainer
from bot.rules._support.verl import ACTOR, ENTRY, has_code_for

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
    added_in="0.1.0",
    summary="A loss, a schedule or a correction of the rollout that the framework lacks.",
    why=(
        "FSDP's workers know two schedules, not those of transformers, and stop when they make the "
        "optimizer. The ways to reject samples were renamed in 0.7.1; another name stops the first "
        "step, after its rollout. TRL's trainers look most names up in their first step."
    ),
    instead=(
        "Use constant or cosine; token or sequence for rollout_is; token_k1 to token_k3, seq_sum_, "
        "seq_mean_k1 to k3, seq_max_k2 or k3 for rollout_rs, up to 0.7.0 token, sequence or "
        "geometric. TRL: one of the names that the message lists."
    ),
    limits=(
        "verl: schedules of FSDP alone, since 0.4; corrections of `verl.trainer.main_ppo` alone, "
        "since 0.6.1. Silent for a name that the repository's own copy of verl writes, and where "
        "nobody names the release for one that another release has. TRL: its own scripts alone, "
        "since another program may have a trainer of its own; names of all releases up to 1.16."
    ),
    source=(
        "FSDPOptimizerConfig in verl/workers/config/optimizer.py (since 0.6.0, before that "
        "verl/workers/fsdp_workers.py); verl/trainer/ppo/rollout_corr_helper.py (since 0.6.1); "
        "the trainers in trl/trainer and main of trl/scripts/grpo.py, rloo.py (0.13 to 1.16)"
    ),
    example=Example(
        bad=verl(f"{ACTOR}.optim.lr_scheduler_type=linear"),
        good=verl(f"{ACTOR}.optim.lr_scheduler_type=cosine"),
    ),
)


_VLLM = {"vllm_mode": ("server", "colocate")}
_REWARDS = (
    *("accuracy_reward", "reasoning_accuracy_reward", "think_format_reward"),
    "get_soft_overlong_punishment",
)
"""Those that TRL's scripts know by a name without a dot; others are paths of imports."""
_TRL: Mapping[str, Mapping[str, Sequence[str]]] = {
    "grpo": {
        **_VLLM,
        "reward_funcs": _REWARDS,
        "loss_type": ("grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "luspo", "vespo"),
        "scale_rewards": ("group", "batch", "none", "true", "false"),
        "importance_sampling_level": ("token", "sequence"),
        "vllm_importance_sampling_mode": (
            *("token_truncate", "token_mask"),
            *("sequence_truncate", "sequence_mask"),
        ),
        "multi_objective_aggregation": ("sum_then_normalize", "normalize_then_sum"),
    },
    "rloo": {**_VLLM, "reward_funcs": _REWARDS},
    "sft": {"loss_type": ("nll", "dft", "chunked_nll")},
    "dpo": {
        "loss_type": (
            *("sigmoid", "hinge", "ipo", "exo_pair", "nca_pair", "robust", "bco_pair"),
            *("sppo_hard", "aot", "aot_pair", "aot_unpaired", "discopop", "apo_zero", "apo_down"),
            *("sft", "sigmoid_norm"),
        ),
        "f_divergence_type": ("reverse_kl", "forward_kl", "js_divergence", "alpha_divergence"),
    },
}
"""Task to TRL's options whose names its trainers look up."""
_GONE = {"chunked_nll": (1, 15)}
"""Names that a release has no more."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A setting and the names that the release has for it."""

    key: str
    names: Sequence[str]


def check(context: RuleContext) -> Hits:
    """The names that a launch gives, where they decide something."""
    for plan in context.plans:
        values = values_of(plan)
        choices = _of_trl(plan)
        if plan.framework == "verl":
            choices = chain(_schedules(values), _corrections(values))
        for choice in choices:
            setting = plan.last(choice.key)  # What a configuration says by default is known.
            written = [w for text in texts(setting) for w in text.split(",")] if setting else ()
            for name in map(str.strip, written):
                imported = choice.key == "reward_funcs" and "." in name
                known = name.lower() in (*choice.names, "null", "none")
                if name and not known and not imported:
                    yield from _hit(context, values, choice, name)


def _of_trl(plan: Plan) -> Iterator[_Choice]:
    if plan.framework == "trl" and has_own_trainer(plan):
        for key, names in _TRL.get(plan.algorithm.value or "", {}).items():
            guessed = plan.configuration.guessed
            gone = () if guessed else [n for n, at in _GONE.items() if version_at_least(plan, *at)]
            yield _Choice(key, [name for name in names if name not in gone])


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
    if has_code_for(context, name):
        return
    near = difflib.get_close_matches(name, choice.names, n=1, cutoff=0.8)
    if name == "gspo" and values.plan.framework == "trl":
        near = ["grpo --importance_sampling_level sequence"]
    yield hit(
        values.place(choice.key),
        "{key} {name} is none that {framework} knows: {known}",
        framework="TRL" if values.plan.framework == "trl" else "verl",
        key=shown(values.plan, choice.key),
        name=name,
        known=", ".join(choice.names),
        help=message("did you mean {near}?", near=near[0]) if near else message("use one of them"),
    )
