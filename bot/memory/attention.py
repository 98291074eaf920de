"""Attention that makes its scores whole: one number for each head and pair of a sequence's tokens.

Source: `eager_attention_forward` of transformers. Its scores are scaled and masked in bf16, their
softmax is in fp32 and narrowed to bf16. Flash attention and torch's own kernels make none.
"""

from __future__ import annotations

from bot.memory.units import NOTHING, Bytes
from bot.memory.workload import Role

_KEPT = 6.0
"""Bytes that wait for the backward pass: the softmax in fp32, and what is multiplied with the
values in bf16. As many are there while a layer makes them without gradient."""
_BACKWARD = 6.0
"""More while a layer's backward pass runs: the gradient of what was multiplied, in both types."""


def scores_kept(role: Role, tokens: int) -> Bytes:
    """What one layer keeps for its backward pass, of an update's `tokens`."""
    return _scores(role, tokens, role.eager_update, _KEPT)


def scores_backward(role: Role, tokens: int) -> Bytes:
    """What its backward pass adds."""
    return _scores(role, tokens, role.eager_update, _BACKWARD)


def scores_forward(role: Role, tokens: int) -> Bytes:
    """What one layer has in a pass without gradient."""
    return _scores(role, tokens, role.eager_forward, _KEPT)


def _scores(role: Role, tokens: int, sequences: int, each: float) -> Bytes:
    """Of `tokens` in so many sequences of one length; nothing without any."""
    if not sequences:
        return NOTHING
    return Bytes.of(each * role.shape.heads * tokens * tokens / sequences)
