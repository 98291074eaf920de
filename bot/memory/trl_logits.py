"""What TRL's and open-instruct's trainers make of the logits: bytes of one, which is of a token.

Sources: `compute_loss`, `_compute_loss` and `concatenated_forward` of TRL's trainers 0.13 to 1.16,
`selective_log_softmax` and `add_fused_lm_head` of its `trainer/utils.py`, transformers'
`ForCausalLMLoss`, accelerate's `autocast`. What is there at once was followed tensor by tensor on
the meta device (`tests/memory/fake_losses.py`).
"""

from __future__ import annotations

from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least
from bot.memory import constants
from bot.memory.precision import Precision
from bot.memory.settings import MemorySettings
from bot.memory.workload import Backend

_FUSED_HEAD = ("sft", "dpo", "grpo", "rloo")
_HEAD_COPIES = {
    (False, False): (10.0, 4.0),
    (False, True): (8.0, 6.0),
    (True, False): (12.0, 0.0),
    (True, True): (12.0, 2.0),
}
"""Whether the head is in fp32, and autocast there, to bytes an entry of it in copies: with its
gradient, and of a head that is frozen. Measured (`fake_losses.json`)."""


def trainer_logits(
    get: MemorySettings, algorithm: str, precision: Precision, sequences: int
) -> tuple[float, float]:
    """Bytes a logit in an update of so many `sequences` a pass, and of one without gradient."""
    plan = get.plan
    instruct = plan.framework == "open-instruct"
    if _fused(get, algorithm):
        return constants.FUSED, constants.FUSED
    if algorithm == "sft":
        return (constants.FUSED if _chunked(get) else constants.CAUSAL_LOSS), 0.0
    in_place = algorithm in ("grpo", "rloo") and version_at_least(plan, 1, 0) and not instruct
    if precision.computes >= 4 or precision.casts_outputs:
        alone = 2 * constants.LOGITS if in_place and sequences == 1 else 0.0
        return constants.GATHERED_FP32 + alone, constants.FORWARD_FP32
    if in_place or instruct:
        return constants.LOG_PROBS_BY_ROW, constants.FORWARD_LOG_PROBS
    row = constants.LOGITS / max(1, sequences)
    kept = _kept_beside(plan, algorithm, reference=_reference_in_pass(get))
    return kept + row, constants.FORWARD_LOG_PROBS


def head_copies(
    get: MemorySettings, algorithm: str, precision: Precision, backend: Backend, *, trained: bool
) -> tuple[float, float]:
    """Bytes an entry of the head's matrix in copies of it: in an update, and without gradient.

    The chunked loss of TRL 1.5 to 1.12 multiplies by the head in fp32, which autocast makes bf16
    again; its gradient passes through both (`_chunk` of `sft_trainer.py`, followed in
    `tests/memory/fake_losses.py`). Autocast copies a head that was cast to fp32 below QLoRA, too.
    """
    plan, casts = get.plan, precision.casts_outputs
    chunked = algorithm == "sft" and not _fused(get, algorithm) and _chunked(get)
    if chunked and not version_at_least(plan, 1, 13):
        # FSDP gathers the head in the type that it computes in.
        whole = precision.weights >= 4 and backend not in ("fsdp", "fsdp2")
        update, forward = _HEAD_COPIES[whole, casts]
        return (update if trained else forward), forward
    quantized = precision.ends > 2 and precision.frozen is not None and not trained
    return (2.0, 2.0) if quantized else (0.0, 0.0)


def _chunked(get: MemorySettings) -> bool:
    """Whether SFT makes the logits of 256 tokens at a time: TRL's default from 1.8 on."""
    unset = "chunked_nll" if version_at_least(get.plan, 1, 8) else "nll"
    return get.plan.framework == "trl" and (get.text("loss_type") or unset) == "chunked_nll"


def _fused(get: MemorySettings, algorithm: str) -> bool:
    """Whether logits are never whole.

    By Liger's losses, and in TRL from 1.15 on by the trainers' own head, whose tiles have at most
    32,768 entries of the vocabulary (`add_fused_lm_head`).
    """
    if get.on(False, "use_liger_kernel", "use_liger_loss", "use_liger"):
        return True
    own = get.plan.framework == "trl" and version_at_least(get.plan, 1, 15)
    return own and algorithm in _FUSED_HEAD


def _reference_in_pass(get: MemorySettings) -> bool:
    return not get.on(False, "precompute_ref_log_probs")


def _kept_beside(plan: Plan, algorithm: str, *, reference: bool) -> float:
    """Bytes of bf16 logits that are there at once, without the row at work.

    `selective_log_softmax` keeps a log-softmax in the logits' own type: DeepSpeed computes without
    autocast. From 1.0 on GRPO and RLOO divide a view by the temperature in place, whose backward
    pass copies its gradient (`LOG_PROBS_BY_ROW`). DPO takes its reference's logits while it holds
    that; from 0.29 on it still has the policy's too, up to 1.5 with a copy of each without the last
    token.
    """
    if algorithm != "dpo" or not version_at_least(plan, 0, 29):
        return constants.LOGITS * 2
    copies = 1 if version_at_least(plan, 1, 6) else 2
    return constants.LOGITS * (1 + copies * (2 if reference else 1))
