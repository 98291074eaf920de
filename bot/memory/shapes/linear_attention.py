"""Layers of linear attention with a gated delta rule: parameters, state, activations.

Sources: the layers of Qwen3-Next and Qwen3.5 in transformers 5.23 (`Qwen3NextGatedDeltaNet`,
`Qwen3_5GatedDeltaNet`), and what `chunk_gated_delta_rule` of flash-linear-attention (fla-core
0.5) keeps for its backward pass. Trainers and engines run those kernels.
"""

from __future__ import annotations

from bot.base.fast_dataclass import dataclass

_STEPS = 1315
"""Bytes a token and head that do not depend on the head's width, without the kernels."""
_CHUNK = 64
"""Tokens that the kernel takes at once; it keeps a triangle of them a token and head."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearAttention:
    """The layers of a model that keep a state of fixed size in place of keys and values."""

    layers: int
    key_heads: int
    """Heads of the queries, and of the keys."""
    value_heads: int
    key_dim: int
    value_dim: int
    kernel: int
    """Tokens that the convolution before the rule sees."""
    plain: bool = False
    """Whether the rule runs in PyTorch's own operations, not in the kernels."""
    fused: bool = False
    """True when queries, keys, values and gate are one matrix (Qwen3-Next)."""

    @property
    def key_width(self) -> int:
        """Width of all heads of the keys."""
        return self.key_heads * self.key_dim

    @property
    def value_width(self) -> int:
        """Width of all heads of the values, of the gate, and of what the layer makes."""
        return self.value_heads * self.value_dim

    @property
    def convolved(self) -> int:
        """Channels of the convolution: queries, keys and values."""
        return 2 * self.key_width + self.value_width

    def matrices(self, hidden: int) -> dict[str, tuple[int, int]]:
        """Each matrix by its name in transformers, with what goes in and what comes out."""
        heads, out = self.value_heads, {"out_proj": (self.value_width, hidden)}
        if self.fused:
            wide = self.convolved + self.value_width
            return {"in_proj_qkvz": (hidden, wide), "in_proj_ba": (hidden, 2 * heads), **out}
        return {
            "in_proj_qkv": (hidden, self.convolved),
            "in_proj_z": (hidden, self.value_width),
            "in_proj_b": (hidden, heads),
            "in_proj_a": (hidden, heads),
            **out,
        }

    def parameters(self, hidden: int) -> int:
        """Of one layer, without the norm before it.

        Its matrices, the convolution's filters, a decay and a time step for each head of the
        values, and the norm of what one head makes.
        """
        matrices = sum(wide * out for wide, out in self.matrices(hidden).values())
        return matrices + self.convolved * self.kernel + 2 * self.value_heads + self.value_dim

    @property
    def state(self) -> int:
        """Numbers that one sequence keeps in one layer, however long it is."""
        rule = self.value_heads * self.key_dim * self.value_dim
        return rule + self.convolved * (self.kernel - 1)

    @property
    def bytes_per_token(self) -> int:
        """What one layer keeps for its backward pass beside norms and MLP, bytes a token.

        In bf16 the input of the convolution, queries and keys as often as there are heads of the
        values, the values, the gate, what the rule makes and its norm; for each head of the
        values a row of the chunk's triangle, and its decay and step, in fp32 in part. Equal within
        1 % to what MemTracker reports of transformers' layers with stand-ins for the kernels.

        Without the kernels (`torch_chunk_gated_delta_rule`) all is in fp32, with a copy for each of
        its steps, and a state for each chunk. Equal to what was followed of transformers 5.24's
        layers (tests/memory/fake_measure.json).
        """
        if self.plain:
            state = 4 * self.key_dim * self.value_dim // _CHUNK
            rule = state + 32 * self.key_dim + 30 * self.value_dim + _STEPS
            return self.value_heads * rule + 8 * self.key_width
        queries_keys = 4 * self.value_heads * self.key_dim
        return (
            2 * self.convolved
            + queries_keys
            + 8 * self.value_width
            + (2 * _CHUNK + 26) * self.value_heads
        )

    @property
    def backward_bytes_per_token(self) -> int:
        """What its backward pass makes at most, where that is more than the MLP's."""
        return 18 * self.value_width if self.plain else 0

    @property
    def forward_bytes_per_token(self) -> int:
        """What is there at once in a pass without gradient, where that is more than the MLP's."""
        return 51 * self.value_width + 4 * self.key_width if self.plain else 0
