"""What TRL's and open-instruct's trainers make of the logits: bytes of one, which is of a token.

Sources: `compute_loss`, `_compute_loss` and `concatenated_forward` of TRL's trainers 0.13 to 1.16,
`selective_log_softmax` and `add_fused_lm_head` of its `trainer/utils.py`, transformers'
`ForCausalLMLoss`, accelerate's `autocast`. What is there at once was followed tensor by tensor on
the meta device (`tests/memory/fake_losses.py`).
"""

from __future__ import annotations

from typing import TypedDict

from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least
from bot.memory import constants
from bot.memory.readers.lengths import Lengths, Measured
from bot.memory.readers.settings import MemorySettings
from bot.memory.readers.trl.backend import backend_of
from bot.memory.readers.trl.distillation import NAME as DISTILLS
from bot.memory.readers.trl.distillation import divergence
from bot.memory.readers.trl.precision import Precision
from bot.memory.readers.trl.unsloth import by_unsloth, filling, logit_bytes, tokens_at_once
from bot.memory.shapes.shape import Shape
from bot.memory.workload import HeldOutputs, MemoryLevel

_FUSED_HEAD = ("sft", "dpo", "grpo", "rloo", "kto")
ODDS = ("orpo", "cpo")
"""Algorithms whose loss of pairs has no reference, and a supervised one beside."""
PAIRS = ("dpo", "rm", *ODDS)
"""Algorithms whose batches count pairs."""
_CHUNK = 256
"""`_CHUNKED_LM_HEAD_CHUNK_SIZE` of TRL's `sft_trainer.py`."""
_HEAD_COPIES = {
    (False, False): (10.0, 4.0),
    (False, True): (8.0, 6.0),
    (True, False): (12.0, 0.0),
    (True, True): (12.0, 2.0),
}
"""Whether the head is in fp32, and autocast there, to bytes an entry of it in copies: with its
gradient, and of a head that is frozen. Measured (`fake_losses.json`)."""
_FROZEN_CHUNK = {(False, False): 16.0, (False, True): 2.0, (True, False): 16.0, (True, True): 12.0}
"""The same to bytes a logit of a chunk beside the copies of a frozen head; beside the gradient of
one that is trained a chunk's are gone. Measured (`fake_losses.json`)."""


def trainer_logits(
    get: MemorySettings, algorithm: str, precision: Precision, sequences: int, *, frozen: bool
) -> tuple[float, float]:
    """Bytes a logit in an update of so many `sequences` a pass, and of one without gradient.

    `frozen` says that the head is not trained.
    """
    plan = get.plan
    instruct = plan.framework == "open-instruct"
    if algorithm == DISTILLS:
        return divergence(get, precision), 0.0
    if _fused(get, algorithm):
        return constants.FUSED, constants.FUSED
    if algorithm == "sft":
        return _supervised(get, precision, frozen=frozen), 0.0
    whole = precision.computes >= 4 or precision.casts_outputs
    if algorithm in ("grpo", "rloo") and not instruct:
        return _online(plan, sequences, whole=whole)
    if algorithm == "kto" and not version_at_least(plan, 1, 7):
        return _unpaired(sequences, whole=whole)
    if algorithm in ("dpo", "kto") and not instruct:
        return _pairs(plan, sequences, whole=whole, reference=_reference_in_pass(get))
    if algorithm in ODDS:
        return _odds(plan, sequences, whole=whole)
    if whole:
        return constants.GATHERED_FP32, constants.FORWARD_FP32
    if instruct:
        return constants.LOG_PROBS_BY_ROW, constants.FORWARD_LOG_PROBS
    return 2 * constants.LOGITS + _row(sequences), constants.FORWARD_LOG_PROBS


def _supervised(get: MemorySettings, precision: Precision, *, frozen: bool) -> float:
    if by_unsloth(get):
        return logit_bytes(get, precision.computes)
    if frozen and _copies_head(get):
        return _FROZEN_CHUNK[_wide_head(get, precision), precision.casts_outputs]
    if _in_chunks(get):
        return constants.CHUNKED
    return constants.FUSED if _chunked(get) else constants.CAUSAL_LOSS


def head_copies(
    get: MemorySettings, algorithm: str, precision: Precision, *, trained: bool
) -> tuple[float, float]:
    """Bytes an entry of the head's matrix in copies of it: in an update, and without gradient.

    The chunked loss of TRL 1.5 to 1.12 multiplies by the head in fp32, which autocast makes bf16
    again; its gradient passes through both (`_chunk` of `sft_trainer.py`, followed in
    `tests/memory/fake_losses.py`). In 1.13 and 1.14 it is a sum that waits for the last chunk's
    (torch's `InputBuffer`). From 1.15 on the tiles' gradient of the head is summed in fp32
    and cast to the head's type at the end (`backward` in `kernels/chunked_logprob.py`; measured on
    a GPU, `tests/memory/measured`). Autocast copies a head that was cast to fp32 below QLoRA, too.
    """
    casts = precision.casts_outputs
    if trained and fused_head(get, algorithm):
        return 4.0 + (precision.weights if precision.weights < 4 else 0.0), 0.0
    chunked = algorithm == "sft" and not _fused(get, algorithm) and _chunked(get)
    if chunked and _copies_head(get):
        update, forward = _HEAD_COPIES[_wide_head(get, precision), casts]
        return (update if trained else forward), forward
    if trained and chunked:
        return precision.weights, 0.0
    quantized = precision.ends > 2 and precision.frozen is not None and not trained
    return (2.0, 2.0) if quantized else (0.0, 0.0)


def _copies_head(get: MemorySettings) -> bool:
    """Whether each chunk of TRL's supervised loss copies the head: 1.5 to 1.12."""
    return not _fused(get, "sft") and _chunked(get) and not version_at_least(get.plan, 1, 13)


def _wide_head(get: MemorySettings, precision: Precision) -> bool:
    """Whether the head is in fp32 where the loss is made; FSDP gathers it as it computes."""
    width = precision.weights if precision.frozen is None else precision.ends
    return width >= 4 and backend_of(get) not in ("fsdp", "fsdp2")


def head_share(
    get: MemorySettings, algorithm: str, sequences: int, of: Lengths, run: Measured | None
) -> float:
    """Share of tokens with logits: TRL's online trainers keep those of the completion.

    So does `use_logits_to_keep` of its DPO (0.15 to 0.28, `concatenated_forward`) from the first
    token of any completion on, which one pair alone says.
    """
    if get.plan.framework == "open-instruct" or algorithm not in ("grpo", "rloo", "dpo"):
        return 1.0
    if algorithm != "dpo":
        return of.response_max / of.longest
    old = not version_at_least(get.plan, 0, 29)
    if not old or sequences > 2 or not get.on(False, "use_logits_to_keep"):
        return 1.0
    if run is not None and run.prompt_mean and run.response_mean:
        return run.response_mean / (run.prompt_mean + run.response_mean)
    limit = get.count("max_completion_length") or of.longest
    return min(1.0, limit / of.longest)


def held_outputs(
    get: MemorySettings, algorithm: str, precision: Precision, sequences: int
) -> HeldOutputs | None:
    """The outputs of all layers that TRL's DPO holds from 0.19 to 0.28; None elsewhere.

    `concatenated_forward` of its `dpo_trainer.py` asks for them (`output_hidden_states`) in each
    pass, and uses none. accelerate makes fp32 of all that a model hands over, one after the other,
    so that the narrower ones are still there (`convert_to_fp32` of its `utils/operations.py`);
    Liger's loss (`_compute_loss_liger`) goes past that. The policy's fp32 logits wait for their
    backward pass, of bf16 ones the log-softmax does.
    """
    plan = get.plan
    old = version_at_least(plan, 0, 19) and not version_at_least(plan, 0, 29)
    if algorithm != "dpo" or plan.framework != "trl" or not old:
        return None
    fused = _fused(get, algorithm)
    casts = precision.casts_outputs and not fused
    if fused:
        own = both = constants.FUSED
    elif casts or precision.computes >= 4:
        own, both = constants.FORWARD_FP32, constants.FORWARD_FP32 + 2 * constants.LOGITS
    else:
        own, both = 2 * constants.LOGITS, 2 * constants.LOGITS + _row(sequences)
    return HeldOutputs(
        each=precision.residual,
        copied=4.0 if casts and precision.residual < 4 else 0.0,
        logits=own,
        reference_logits=both if _reference_in_pass(get) else 0.0,
    )


def _chunked(get: MemorySettings) -> bool:
    """Whether SFT makes the logits of `_CHUNK` tokens at once: TRL's default from 1.8 to 1.14."""
    plan = get.plan
    default = version_at_least(plan, 1, 8) and not version_at_least(plan, 1, 15)
    unset = "chunked_nll" if default else "nll"
    return plan.framework == "trl" and (get.text("loss_type") or unset) == "chunked_nll"


class LogitParts(TypedDict):
    """Fields of a `Role`."""

    logits_at_once: int | None
    logits_fill: tuple[MemoryLevel, ...]


def logit_parts(
    get: MemorySettings, algorithm: str, shape: Shape, of: Lengths, *, frozen: bool
) -> LogitParts:
    """How unsloth's losses, and TRL's supervised one, make logits; other losses make all at once.

    From 1.5 to 1.12 copies of a head that is trained are more than a chunk's logits, and not there
    at the same time (`head_copies`).
    """
    if by_unsloth(get):
        tokens = tokens_at_once(get, algorithm, shape, of)
    else:
        chunked = _in_chunks(get) or (frozen and _copies_head(get))
        tokens = _CHUNK if algorithm == "sft" and chunked else None
    return {"logits_at_once": tokens, "logits_fill": filling(get, algorithm)}


def _in_chunks(get: MemorySettings) -> bool:
    return not _fused(get, "sft") and _chunked(get) and version_at_least(get.plan, 1, 13)


def _fused(get: MemorySettings, algorithm: str) -> bool:
    """Whether logits are never whole.

    By Liger's losses, and in TRL from 1.15 on by the trainers' own head, whose tiles have at most
    32,768 entries of the vocabulary (`add_fused_lm_head`). ORPO and CPO give the model no labels,
    so that its logits are whole whatever makes its layers.
    """
    if algorithm in ODDS:
        return False
    return (_liger(get) and not own_head(get)) or fused_head(get, algorithm)


def _liger(get: MemorySettings) -> bool:
    return get.on(False, "use_liger_kernel", "use_liger_loss", "use_liger")


def fused_head(get: MemorySettings, algorithm: str) -> bool:
    """Whether the trainer's own head makes log-probabilities tile by tile.

    It does under Liger, too, whose loss the trainers switch off. A smoothed loss takes the logits
    (`compute_loss` of `sft_trainer.py` 1.15 and 1.16).
    """
    smoothed = (
        algorithm == "sft"
        and get.number(0, "label_smoothing_factor") > 0
        and (get.text("loss_type") or "nll") == "nll"
    )
    return own_head(get) and algorithm in _FUSED_HEAD and not smoothed


def own_loss(get: MemorySettings, algorithm: str) -> bool:
    """Whether Liger makes the layers alone.

    TRL switches its losses off from 1.15 on. ORPO and CPO never had one, and GKD's takes whole
    logits as its own does.
    """
    return algorithm in (*ODDS, DISTILLS) or own_head(get)


def own_head(get: MemorySettings) -> bool:
    """Whether the trainers make the loss themselves, so that Liger makes the layers alone."""
    return not by_unsloth(get) and get.plan.framework == "trl" and version_at_least(get.plan, 1, 15)


def _reference_in_pass(get: MemorySettings) -> bool:
    return not get.on(False, "precompute_ref_log_probs")


def _row(sequences: int) -> float:
    """One bf16 row of a pass of so many, for a logit of them all."""
    return constants.LOGITS / max(1, sequences)


def _online(plan: Plan, sequences: int, *, whole: bool) -> tuple[float, float]:
    """The log-probabilities of GRPO and RLOO, `whole` of fp32 logits, each release's own way.

    From 0.16 to 0.29, and again from 1.10 to 1.13, the logits are divided by the temperature into
    a copy (which 1.10 makes while the model's outputs are held); from 1.0 to 1.9 in place, whose
    backward pass copies the gradient of a view. 1.14 has a kernel that keeps the logits and makes
    their gradient alone (`selective_log_softmax` of its `trainer/utils.py`, `kernels/`).
    """
    in_place = version_at_least(plan, 1, 0) and not version_at_least(plan, 1, 10)
    if version_at_least(plan, 1, 14):
        kept = constants.LOG_PROBS * (2 if whole else 1)
        return kept, constants.FORWARD_FP32 if whole else constants.FORWARD_LOG_PROBS
    if whole and in_place:
        alone = 2 * constants.LOGITS if sequences == 1 else 0.0
        return constants.GATHERED_FP32 + alone, constants.FORWARD_FP32
    if whole:
        return constants.BY_ROW_FP32 + 4 * _row(sequences), constants.FORWARD_COPY_FP32
    if in_place:
        return constants.LOG_PROBS_BY_ROW, constants.FORWARD_LOG_PROBS
    held = sequences == 1 or version_at_least(plan, 1, 10)
    return (3 if held else 2) * constants.LOGITS, constants.FORWARD_LOG_PROBS


def _pairs(plan: Plan, sequences: int, *, whole: bool, reference: bool) -> tuple[float, float]:
    """The same of DPO, and of KTO since 1.7.

    It takes its reference's logits while it holds those; from 0.29 on it still has the policy's
    too, up to 1.5 with a copy of each without the last token. bf16 logits (DeepSpeed computes
    without autocast) keep a log-softmax in their own type. From 1.14 on the kernel keeps logits.
    """
    forward = constants.FORWARD_FP32 if whole else constants.FORWARD_LOG_PROBS
    copied = version_at_least(plan, 0, 29) and not version_at_least(plan, 1, 6)
    if version_at_least(plan, 1, 14):
        beside = constants.LOGITS if whole and reference else 0.0
        return constants.LOG_PROBS * (2 if whole else 1) + beside, forward
    if whole:
        # The gradients of fp32 logits are more than a reference's logits.
        rows = 4 * _row(sequences)
        return constants.GATHERED_FP32 if copied else constants.BY_ROW_FP32 + rows, forward
    kept = constants.LOGITS
    if version_at_least(plan, 0, 29):
        kept += constants.LOGITS * (2 if copied else 1) * (2 if reference else 1)
    else:
        kept *= 2
    return kept + _row(sequences), forward


def _unpaired(sequences: int, *, whole: bool) -> tuple[float, float]:
    """KTO up to 1.6: `forward` of its trainer copies the logits of both halves in each pass."""
    if not whole:
        return constants.LOG_PROBS_BY_ROW, constants.FORWARD_LOG_PROBS
    alone = 2 * constants.LOGITS if sequences == 1 else 0.0
    return constants.GATHERED_FP32 + alone, constants.FORWARD_FP32 + 2 * constants.LOGITS


def _odds(plan: Plan, sequences: int, *, whole: bool) -> tuple[float, float]:
    """ORPO and CPO: `concatenated_forward` of their trainers, which 0.26 to 0.28 moved."""
    copied = constants.LOGITS / 2
    if version_at_least(plan, 1, 14):
        made = constants.ODDS_KERNEL_FP32 if whole else constants.ODDS
    elif version_at_least(plan, 0, 15):
        made = constants.ODDS_FP32 + 4 * _row(sequences) if whole else constants.ODDS
    else:
        made = constants.ODDS_FP32 if whole else constants.ODDS_GATHERED
    if whole:
        return made, constants.FORWARD_FP32 + 2 * copied
    return made, constants.FORWARD_LOG_PROBS + copied
