"""What TRL's trainers take while they evaluate: larger batches, and logits without gradient.

Sources: `prediction_step` and `compute_loss` of TRL's trainers 0.13 to 1.16, transformers'
`TrainingArguments`, Liger's `lce_forward`.
"""

from __future__ import annotations

from bot.frameworks.plan_values import version_at_least
from bot.memory import constants
from bot.memory.readers.lengths import Lengths, batch_tokens
from bot.memory.readers.settings import MemorySettings
from bot.memory.readers.trl.distillation import NAME as DISTILLS
from bot.memory.readers.trl.logits import PAIRS
from bot.memory.readers.trl.precision import Precision
from bot.memory.workload import Role, Tokens

_NEVER = (None, "no", "none", "false")
_BATCH = 8
"""`per_device_eval_batch_size` of transformers' `TrainingArguments`."""


_CHOSEN = 0.25
"""Share of a pass's logits that are of the chosen samples' completions, taken as half of each."""
_WHEN = ("eval_strategy", "evaluation_strategy")


def may_evaluate(get: MemorySettings) -> bool:
    """Whether only a run knows if anything is evaluated: `"steps" if eval_set else "no"`."""
    given = [setting for name in _WHEN if (setting := get.plan.last(name)) is not None]
    return any(not setting.known for setting in given)


def evaluation_batch(get: MemorySettings) -> int:
    """Samples of a pass on one GPU; 0 where nothing is evaluated."""
    when = "steps" if may_evaluate(get) else get.text(*_WHEN)
    if (when.lower() if when else when) in _NEVER:
        return 0
    return get.count("per_device_eval_batch_size") or _BATCH


def evaluation_sequences(get: MemorySettings, algorithm: str) -> int:
    """Sequences of a pass: pairs count twice; none where nothing is evaluated."""
    return evaluation_batch(get) * (2 if algorithm in ("online_dpo", *PAIRS) else 1)


def evaluation_tokens(
    get: MemorySettings, algorithm: str, of: Lengths, *, padded: bool, packed: bool
) -> Tokens:
    """Tokens of a pass; none where nothing is evaluated."""
    count = evaluation_sequences(get, algorithm)
    if not count:
        return Tokens(0, 0, 0)
    if packed and get.on(True, "eval_packing"):
        return Tokens(2 * count, count * of.longest, count * of.longest)
    return batch_tokens(count, of, padded=padded)


def supervised_logits(get: MemorySettings, update: float, *, computes: float) -> float:
    """Bytes a logit of the supervised loss without gradient; `update` is what it takes with one.

    The logits, their fp32 copy and its log-softmax. Liger's kernels are for training alone (a
    model that is not in training makes its logits whole), unless the trainer asks them to skip the
    logits: TRL does from 0.29 on (`skip_logits` of `sft_trainer.py`).
    """
    liger = get.on(False, "use_liger_kernel", "use_liger")
    fused = update <= constants.FUSED and (not liger or version_at_least(get.plan, 0, 29))
    if fused:
        return constants.FUSED
    return constants.CAUSAL_LOSS_FORWARD if computes < 4 else constants.CAUSAL_LOSS_FORWARD - 2


def held_out_logits(
    get: MemorySettings,
    algorithm: str,
    precision: Precision,
    role: Role,
    passes: tuple[float, float],
) -> float:
    """Bytes a logit of an evaluation, of `passes` that have a gradient and that have none."""
    update, forward = passes
    if algorithm == "dpo" and get.plan.framework == "trl":
        whole = precision.computes >= 4 or precision.casts_outputs
        return paired_logits(get, forward, whole=whole)
    if algorithm == "sft" and role.logits_at_once is None:
        return supervised_logits(get, update, computes=precision.computes)
    return update if algorithm in ("sft", DISTILLS) else forward


def paired_logits(get: MemorySettings, forward: float, *, whole: bool) -> float:
    """Bytes a logit of DPO's loss without gradient, `forward` of one pass, `whole` of fp32 logits.

    From 0.29 to 1.13 the policy's logits are there until the end, and those of the reference in the
    same pass; up to 1.5 each with a copy without the last token, of which then a part is copied for
    their mean; later the entropy makes such a copy (`_compute_loss` of `dpo_trainer.py`,
    `entropy_from_logits`). The kernel of 1.14 makes none; a public run took no more than one pass.
    """
    plan = get.plan
    held_on = version_at_least(plan, 0, 29) and not version_at_least(plan, 1, 14)
    if plan.framework != "trl" or forward <= constants.FUSED or not held_on:
        return forward
    each = 2 * constants.LOGITS if whole else constants.LOGITS
    held = each if get.on(False, "precompute_ref_log_probs") else 2 * each
    copied = not version_at_least(plan, 1, 6)
    return 2 * held + each * _CHOSEN if copied else held + each
