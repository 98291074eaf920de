"""What the layers of a model keep for their backward passes, bytes a token."""

from __future__ import annotations

from bot.memory.shapes.shape import Latent, Shape

_FLASH = 256
"""The widest head that flash attention takes."""
NONE: frozenset[str] = frozenset()


def layer_bytes_per_token(
    shape: Shape, *, fused: bool = False, recomputed: frozenset[str] = NONE
) -> int:
    """What one layer keeps; where layers differ in their attention, the widest.

    Eager: 16 a hidden unit (two norms with their fp32 copies), 4 a unit of the queries (they and
    the attention's output), 4 of keys and values, 8 of the MLP's width (gate, up, activation,
    product); 4 a head for the attention's sums, and what norms of queries and keys keep, 6 a unit.
    Families differ (`Family.kept`). Equal to what MemTracker reports of transformers' layers
    (tests/memory/fake_measure.json).

    Fused, as Megatron's layers are and as Liger's kernels make them: a norm keeps its input and its
    output in bf16, which is the next product's input, so that 8 a hidden unit are kept; the
    activation keeps its input alone (`SwiGLUFunction` of Megatron's `fused_bias_swiglu.py`, Liger's
    `ops/swiglu.py`), so that 6 of the MLP's width are; norms of queries and keys keep 2. Of its
    modules some may be recomputed (`recompute_modules` of Megatron's `transformer_config.py`): a
    norm's output, the activation's, all of the MLP.
    """
    linear = shape.linear.bytes_per_token if shape.linear else 0
    full = _attention_bytes(shape, fused=fused) if shape.full_layers else 0
    mixer = full + linear if shape.parallel else max(full, linear)
    mlp = _mlp_bytes(shape, fused, recomputed)
    return _norm_bytes(shape, fused, recomputed) + (max(mixer, mlp) if shape.apart else mixer + mlp)


def all_layers_bytes_per_token(
    shape: Shape, *, fused: bool = False, recomputed: frozenset[str] = NONE
) -> int:
    """What all layers keep without checkpointing."""
    linear = shape.linear.layers * shape.linear.bytes_per_token if shape.linear else 0
    full = shape.full_layers * _attention_bytes(shape, fused=fused)
    mlps = shape.mlp_layers * _mlp_bytes(shape, fused, recomputed)
    return shape.layers * _norm_bytes(shape, fused, recomputed) + mlps + full + linear


def recomputes_mlp(shape: Shape, recomputed: frozenset[str]) -> bool:
    """Whether the MLP of a layer, or its experts, is recomputed as a whole."""
    return ("moe" if shape.experts else "mlp") in recomputed


def _norm_bytes(shape: Shape, fused: bool, recomputed: frozenset[str]) -> int:
    """Of the norms before a layer's parts: two, or one where a layer is one part alone."""
    norms = 1 if shape.apart else 2
    if fused:
        return norms * (2 if "layernorm" in recomputed else 4) * shape.hidden
    return shape.norm_bytes * shape.hidden + 4 * norms


def _mlp_bytes(shape: Shape, fused: bool, recomputed: frozenset[str]) -> int:
    if fused:
        width = 4 if shape.experts and "moe_act" in recomputed else 6
        width = 0 if recomputes_mlp(shape, recomputed) else width
        return width * shape.active_intermediate
    return shape.mlp_bytes * shape.active_intermediate


def _attention_bytes(shape: Shape, *, fused: bool) -> int:
    if shape.latent:
        return _latent_bytes(shape, shape.latent, 4 if fused else 8)
    query, kv = shape.query_width, shape.kv_width
    each = 2 if fused else shape.head_norm_bytes
    norms = each * (query + kv) + 4 * (shape.heads + shape.kv_heads) if shape.qk_norm else 0
    # The gate, its sigmoid, and the product with the attention's output.
    gate = 6 * query if shape.output_gate else 0
    # Flash attention takes no wider heads; others repeat keys and values for those of the queries.
    repeated = 4 * query if shape.head_dim > _FLASH else 0
    return 4 * query + 4 * kv + 4 * shape.heads + norms + gate + repeated


def _latent_bytes(shape: Shape, latent: Latent, norm: int) -> int:
    """Of multi-head latent attention: queries, keys and values are as wide as all heads.

    The norms of both ranks with what they hand on; queries and keys; what the keys' first part and
    the values are views of; the output and its sums.
    """
    ranks = norm * (latent.query_rank + latent.kv_rank)
    made = 2 * shape.heads * (latent.nope_dim + latent.value_dim)
    return ranks + 4 * shape.query_width + made + shape.heads * (2 * latent.value_dim + 4)
