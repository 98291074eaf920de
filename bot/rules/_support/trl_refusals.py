"""Settings that TRL's trainers refuse together, each from its first release to its last.

Source: what `__init__` of the trainers in `trl/trainer` and `trl/experimental`, and `__post_init__`
of their configurations, raise in each release from 0.13.0 to 1.16.0.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.frameworks.launchers.launch import unwrap
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import PlanValues, version_at_least
from bot.report import JsonValue
from bot.rules._support.base import RuleContext

_Condition = tuple[str, Callable[[JsonValue], bool]]
"""A setting, and whether a value of it is one that is refused."""


RANKS: Final = ("LOCAL_RANK", "RANK", "WORLD_SIZE")
"""What accelerate's PartialState takes for one of several processes."""


@dataclass(frozen=True, slots=True)
class RefusedPair:
    """Two settings that a task's trainer refuses together."""

    tasks: tuple[str, ...]
    since: tuple[int, ...]
    until: tuple[int, ...]
    """The first release without it; empty: none yet."""
    first: _Condition
    second: _Condition
    unless: tuple[_Condition, ...] = ()
    """Where one of these holds, or cannot be known, nothing is refused."""


def has_own_trainer(plan: Plan) -> bool:
    """Whether a launch starts one of TRL's scripts: another program may have another trainer."""
    command = plan.launch.command
    return plan.launch.entry.startswith("trl.") and not (command.implied or command.written)


def program_of(context: RuleContext, plan: Plan) -> ast.Module | None:
    """The repository's program that is started, or what it is read as; None for any other."""
    place, started = context.place, unwrap(plan.launch.command.argv)
    if place is None or started is None:
        return None
    programs = place.checkout.trl_programs
    path = programs.file_of(started.entry, place.path)
    return programs.sources.tree(path) if path is not None else None


def refusals(values: PlanValues) -> Iterator[tuple[str, str]]:
    """The pairs of settings of a launch that its trainer refuses, by the release's conditions."""
    plan = values.plan
    for one in _REFUSALS:
        if (
            plan.algorithm.value in one.tasks
            and version_at_least(plan, *one.since)
            and not (one.until and version_at_least(plan, *one.until))
            and _holds(values, one.first)
            and _holds(values, one.second)
            and not any(_holds(values, other) in (True, None) for other in one.unless)
        ):
            yield one.first[0], one.second[0]


def _holds(values: PlanValues, condition: _Condition) -> bool | None:
    """Whether a condition holds; None where its value cannot be known."""
    found = values.get(condition[0])
    return None if found is None else condition[1](found.value)


def _on(value: JsonValue) -> bool:
    return value is True


def _off(value: JsonValue) -> bool:
    return not value


def _set(value: JsonValue) -> bool:
    return value is not None


def _is(*wanted: JsonValue) -> Callable[[JsonValue], bool]:
    """Whether it is one of these, or a list with one of them."""

    def test(value: JsonValue) -> bool:
        return any(one in wanted for one in (value if isinstance(value, list) else [value]))

    return test


def _not(*known: JsonValue) -> Callable[[JsonValue], bool]:
    """Whether it is none of these, or a list with another one; a value that is null is not."""

    def test(value: JsonValue) -> bool:
        items = value if isinstance(value, list) else [value]
        return value is not None and any(one not in known for one in items)

    return test


def _below_one(value: JsonValue) -> bool:
    return isinstance(value, (int, float)) and value < 1


def _several(value: JsonValue) -> bool:
    return isinstance(value, list) and len(value) > 1


_LOSS, _KERNEL = ("use_liger_loss", _on), ("use_liger_kernel", _on)
_LIGER_DPO = _not("sigmoid", "apo_zero", "apo_down", "sppo_hard", "nca_pair")
_PRECOMPUTED = ("precompute_ref_log_probs", _on)
_PEFT = ("use_peft", _on)
_DIVERGENCE = ("f_divergence_type", _not("reverse_kl"))
_DIVERGES = ("sigmoid", "sigmoid_norm", "hinge", "ipo", "exo_pair", "robust", "discopop", "sft")
_UNPAIRED = ("loss_type", _is("apo_zero_unpaired"))
_ENTROPY = ("top_entropy_quantile", _below_one)
_LEVEL = ("importance_sampling_level", _not("token"))
_HEAD = ("lora_target_modules", _is("lm_head"))
_ADAPTED = ("sft", "dpo", "kto", "grpo", "rloo")

_SYNCED = ("sync_ref_model", _on)

_REFUSALS = (
    RefusedPair(("dpo",), (0, 13), (), _SYNCED, _PEFT),
    RefusedPair(("dpo",), (0, 13), (), _SYNCED, _PRECOMPUTED),
    RefusedPair(("grpo", "rloo"), (0, 28), (), _SYNCED, _PEFT),
    RefusedPair(("grpo", "rloo"), (0, 28), (), _SYNCED, ("beta", _is(0))),
    RefusedPair(("kto",), (1, 7), (), _SYNCED, _PEFT),
    RefusedPair(("kto",), (1, 7), (), _SYNCED, _PRECOMPUTED),
    RefusedPair(("sft",), (1, 4), (1, 15), ("loss_type", _is("chunked_nll")), _KERNEL),
    RefusedPair(
        ("sft",), (1, 4), (1, 8), ("loss_type", _is("chunked_nll")), _HEAD, (("use_peft", _off),)
    ),
    RefusedPair(
        ("sft",), (1, 8), (1, 15), _PEFT, _HEAD, (("loss_type", _is("nll", "dft")), _KERNEL)
    ),
    RefusedPair(("dpo", "kto"), (1, 8), (1, 15), _KERNEL, _HEAD, (("use_peft", _off),)),
    RefusedPair(("grpo",), (1, 7), (1, 15), _KERNEL, _HEAD, (("use_peft", _off),)),
    RefusedPair(_ADAPTED, (1, 15), (), _PEFT, _HEAD),
    RefusedPair(
        ("dpo",), (0, 29), (), ("loss_type", _is("aot", "aot_unpaired")), ("use_weighting", _on)
    ),
    RefusedPair(("dpo",), (1, 10), (), ("loss_type", _not(*_DIVERGES)), _DIVERGENCE),
    RefusedPair(("dpo",), (0, 19), (0, 22), ("loss_type", _not("sigmoid")), _LOSS),
    RefusedPair(("dpo",), (0, 22), (0, 25), ("loss_type", _LIGER_DPO), _LOSS),
    RefusedPair(("dpo",), (0, 25), (0, 29), ("loss_type", _LIGER_DPO), _KERNEL),
    RefusedPair(("dpo",), (0, 29), (1, 14), ("loss_type", _several), _KERNEL),
    RefusedPair(("dpo",), (0, 29), (1, 14), _PRECOMPUTED, _KERNEL),
    RefusedPair(("dpo",), (1, 4), (1, 8), _PEFT, _KERNEL),
    RefusedPair(("dpo",), (1, 10), (1, 14), _DIVERGENCE, _KERNEL),
    RefusedPair(("dpo",), (1, 14), (1, 15), ("use_weighting", _on), _KERNEL),
    RefusedPair(("kto",), (0, 17), (0, 25), _UNPAIRED, _LOSS),
    RefusedPair(("kto",), (0, 25), (1, 14), _UNPAIRED, _KERNEL),
    RefusedPair(("kto",), (0, 17), (0, 25), _PRECOMPUTED, _LOSS),
    RefusedPair(("kto",), (0, 25), (1, 14), _PRECOMPUTED, _KERNEL),
    RefusedPair(("kto",), (0, 17), (0, 25), _PEFT, _LOSS),
    RefusedPair(("kto",), (0, 25), (1, 8), _PEFT, _KERNEL),
    RefusedPair(("kto",), (1, 13), (1, 14), ("desirable_weight", _not(1)), _KERNEL),
    RefusedPair(("kto",), (1, 13), (1, 14), ("undesirable_weight", _not(1)), _KERNEL),
    RefusedPair(("grpo",), (0, 20), (0, 25), _ENTROPY, _LOSS),
    RefusedPair(("grpo",), (0, 25), (1, 14), _ENTROPY, _KERNEL),
    RefusedPair(("grpo",), (0, 20), (0, 25), _LEVEL, _LOSS),
    RefusedPair(("grpo",), (0, 25), (1, 0), _LEVEL, _KERNEL),
    RefusedPair(("grpo",), (0, 18), (0, 25), ("delta", _set), _LOSS),
    RefusedPair(("grpo",), (0, 25), (1, 4), ("delta", _set), _KERNEL),
    RefusedPair(("grpo",), (0, 27), (1, 14), ("off_policy_mask_threshold", _set), _KERNEL),
    RefusedPair(("grpo",), (1, 8), (1, 14), ("entropy_coef", _not(0)), _KERNEL),
    RefusedPair(("grpo",), (1, 8), (1, 14), ("use_adaptive_entropy", _on), _KERNEL),
    RefusedPair(
        ("grpo",),
        (1, 0),
        (),
        ("loss_type", _is("vespo")),
        ("vllm_importance_sampling_mode", _not("token_truncate", "token_mask")),
        (("use_vllm", _off), ("vllm_importance_sampling_correction", _off)),
    ),
)
