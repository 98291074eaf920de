"""The logits of a pass, and by what Megatron divides them as it does activations."""

from __future__ import annotations

from bot.memory.constants import LOGITS
from bot.memory.units import NOTHING, Bytes
from bot.memory.workload import MemoryLevel, Role


def split(role: Role) -> int:
    """By what Megatron divides activations: tensor (with sequence parallelism) and context."""
    return role.layout.tensor if role.backend == "megatron" else 1


def logits(
    role: Role, level: MemoryLevel, tokens: int, per_logit: float, *, gradient: bool = False
) -> Bytes:
    """The logits and what is computed from them; at the floor the logits alone, if ever whole."""
    if role.head == "value" or not per_logit:
        return NOTHING
    whole = tokens * role.head_share
    made = whole if role.logits_at_once is None else min(whole, role.logits_at_once)
    if level == "floor":
        per_logit = LOGITS if per_logit >= LOGITS else 0.0
    elif role.shape.capped and per_logit >= LOGITS and role.backend != "megatron":
        per_logit = _capped(per_logit, role.compute_bytes, gradient=gradient)
    return Bytes.of(per_logit * role.shape.vocab * made) / split(role)


def _capped(per_logit: float, each: float, *, gradient: bool) -> float:
    """Bytes a logit where the model caps them; `each` are those of one number.

    `logits = tanh(logits / c) * c` (`final_logit_softcapping`; transformers' `Gemma2ForCausalLM`).
    The tanh keeps its result for the backward pass, where its gradient and the one that it is made
    of are beside it; without a gradient it takes one and makes one. Followed tensor by tensor below
    each loss (`tests/memory/fake_losses.py`).
    """
    return max(per_logit + each, 3 * each) if gradient else max(per_logit, 2 * each)
