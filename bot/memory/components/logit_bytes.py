"""The logits of a pass, and by what Megatron divides them as it does activations."""

from __future__ import annotations

from dataclasses import replace

from bot.base.devices import Device
from bot.memory.components.states import states
from bot.memory.constants import LOGITS
from bot.memory.units import NOTHING, Bytes, together
from bot.memory.workload import MemoryLevel, Pool, Role, Workload


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
    made = _made_at_once(role, level, whole)
    if level == "floor":
        per_logit = LOGITS if per_logit >= LOGITS else 0.0
    elif role.shape.capped and per_logit >= LOGITS and role.backend != "megatron":
        per_logit = _capped(per_logit, role.compute_bytes, gradient=gradient)
    return Bytes.of(per_logit * role.shape.vocab * made) / split(role)


def _made_at_once(role: Role, level: MemoryLevel, whole: float) -> float:
    """Tokens whose logits are there at one time.

    A loss that fills the card aims at parts that half of it holds. Of their number it takes the
    nearest multiple of four, and one where that is none: logits that all of it holds are not cut
    (`get_chunk_size` of unsloth_zoo's `fused_losses/cross_entropy_loss.py` 2025.9.1 to 2026.6.7).
    """
    if level in role.logits_fill:
        fours = round(whole / role.logits_in_half / 4) if role.logits_in_half else 0
        return whole / max(1, 4 * fours)
    return whole if role.logits_at_once is None else min(whole, role.logits_at_once)


def with_free(workload: Workload, card: Device) -> Workload:
    """The workload with how many logits half of the card holds that weights leave free."""
    if not any(role.logits_fill for pool in workload.pools for role in pool.roles):
        return workload
    return replace(workload, pools=tuple(_with_free(pool, card) for pool in workload.pools))


def _with_free(pool: Pool, card: Device) -> Pool:
    weights = together(states(role).weights for role in pool.roles)
    free = Bytes.of(card.usable_gib * 2**30).less(weights).count
    roles = tuple(
        replace(role, logits_in_half=free / 2 / (4 * role.shape.vocab))
        if role.shape.vocab
        else role
        for role in pool.roles  # One of several cards may have no end of the model, and no logits.
    )
    return replace(pool, roles=roles)


def _capped(per_logit: float, each: float, *, gradient: bool) -> float:
    """Bytes a logit where the model caps them; `each` are those of one number.

    `logits = tanh(logits / c) * c` (`final_logit_softcapping`; transformers' `Gemma2ForCausalLM`).
    The tanh keeps its result for the backward pass, where its gradient and the one that it is made
    of are beside it; without a gradient it takes one and makes one. Followed tensor by tensor below
    each loss (`tests/memory/fake_losses.py`).
    """
    return max(per_logit + each, 3 * each) if gradient else max(per_logit, 2 * each)
