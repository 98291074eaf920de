"""Attention that makes its scores whole: one number for each head and pair of a sequence's tokens.

Of torch's kernels those in bf16 need a card since Ampere; on another one its
`_scaled_dot_product_attention_math` makes scores, their softmax and a masked copy in fp32
(`aten/src/ATen/native/transformers/`, `cuda/sdp_utils.cpp`).

Source: `eager_attention_forward` of transformers. Its scores are scaled and masked in bf16, their
softmax is in fp32 and narrowed to bf16. Flash attention and torch's own kernels make none. gpt-oss
has an `eager_attention_forward` of its own, whose softmax over scores and sinks is in bf16.
"""

from __future__ import annotations

from dataclasses import replace

from bot.memory.units import NOTHING, Bytes
from bot.memory.workload import Role

_KEPT = 6.0
"""Bytes that wait for the backward pass: the softmax in fp32, and what is multiplied with the
values in bf16. As many are there while a layer makes them without gradient."""
_BACKWARD = 6.0
"""More while a layer's backward pass runs: the gradient of what was multiplied, in both types."""
_SINKS_KEPT = 2.0
_SINKS_BACKWARD = 4.0
_SINKS_FORWARD = 6.0
"""The same with sinks, and what one layer has at most in its forward pass: scores, scores with the
sink beside them, softmax. Measured as tensors live and die (transformers 5.24)."""
_FP32_KEPT = 4.0
_FP32_BACKWARD = 8.0
_FP32_FORWARD = 12.0
"""The same of torch's in fp32. Measured as tensors live and die (torch 2.14)."""


def without_bf16(role: Role) -> Role:
    """A role on a card that computes in bf16 by other means."""
    if not role.bf16_update and not role.bf16_forward:
        return role
    return replace(
        role,
        eager_update=role.bf16_update,
        eager_forward=role.bf16_forward,
        scores_in_fp32=True,
    )


def scores_kept(role: Role, tokens: int) -> Bytes:
    """What one layer keeps for its backward pass, of an update's `tokens`."""
    each = _each(role, (_KEPT, _SINKS_KEPT, _FP32_KEPT))
    return _scores(role, tokens, role.eager_update, each)


def scores_backward(role: Role, tokens: int) -> Bytes:
    """What its backward pass adds."""
    each = _each(role, (_BACKWARD, _SINKS_BACKWARD, _FP32_BACKWARD))
    return _scores(role, tokens, role.eager_update, each)


def scores_forward(role: Role, tokens: int) -> Bytes:
    """What one layer has in a pass without gradient."""
    each = _each(role, (_KEPT, _SINKS_FORWARD, _FP32_FORWARD))
    return _scores(role, tokens, role.eager_forward, each)


def _each(role: Role, of: tuple[float, float, float]) -> float:
    """Of the bytes of a score the ones of a role's way: eager, with sinks, torch's own."""
    plain, sinks, torchs = of
    return torchs if role.scores_in_fp32 else sinks if role.shape.sinks else plain


def _scores(role: Role, tokens: int, sequences: int, each: float) -> Bytes:
    """Of `tokens` in so many sequences of one length; nothing without any."""
    if not sequences:
        return NOTHING
    return Bytes.of(each * role.shape.heads * tokens * tokens / sequences)
