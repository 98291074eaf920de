"""A vision tower: its parameters, and what its layers keep of images for the backward pass.

Counts are those of the modules of transformers 5.24; bytes are what one layer of each family keeps
(`tests/memory/fake_towers.json`), with the attention's output once, as flash attention leaves it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from bot.base.fast_dataclass import dataclass

TowerKind: TypeAlias = Literal["siglip", "qwen2", "qwen2.5", "qwen3"]
"""Whose layers a tower has: SigLIP's (Gemma 3), those of Qwen2-VL, Qwen2.5-VL, or Qwen3-VL (and
Qwen3.5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Family:
    """How the layers of a family are made, and the bytes that they keep of one patch."""

    gated: bool
    norm: int
    """Parameters of a norm, a unit of the width: 2 with a bias."""
    width_bytes: int
    """A unit of the width: norms, queries, keys and values before and after they are turned, the
    attention's output, and what the MLP is added to."""
    mlp_bytes: int
    """A unit of the MLP's width."""
    backward_bytes: int
    """The same, while a layer's backward pass runs."""
    merger_bytes: int
    """A unit of the width, in what leads from the last layer to the text."""


_FAMILIES: dict[TowerKind, _Family] = {
    "siglip": _Family(
        gated=False, norm=2, width_bytes=16, mlp_bytes=4, backward_bytes=2, merger_bytes=4
    ),
    "qwen2": _Family(
        gated=False, norm=2, width_bytes=20, mlp_bytes=6, backward_bytes=4, merger_bytes=8
    ),
    "qwen2.5": _Family(
        gated=True, norm=1, width_bytes=28, mlp_bytes=8, backward_bytes=4, merger_bytes=12
    ),
    "qwen3": _Family(
        gated=False, norm=2, width_bytes=20, mlp_bytes=4, backward_bytes=2, merger_bytes=8
    ),
}
_DEEP = 6
"""Bytes a unit of the width that a merger of a deeper layer keeps of a patch."""
_TURN = 712
"""Bytes a patch of a Qwen layer's cosines and sines in fp32, and of its attention's sums."""
_PIXEL = 6
"""Bytes of one number of a patch: as it is loaded, in fp32, and as the first matrix takes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tower:
    """A vision tower with what leads from it to the text."""

    kind: TowerKind
    layers: int
    width: int
    intermediate: int
    """Width of a layer's MLP."""
    out: int
    """Width of the text."""
    numbers: int
    """Numbers of one patch: its pixels in all channels and moments."""
    merged: int = 4
    """Patches that make one token of the text."""
    positions: int = 0
    """Learned positions."""
    deep: int = 0
    """Layers whose output leads to the text by a merger of its own (`deepstack`)."""

    @property
    def parameters(self) -> int:
        """Every parameter, those of the mergers included."""
        width, family = self.width, _FAMILIES[self.kind]
        mlp = (3 if family.gated else 2) * width * self.intermediate
        mlp += (2 if family.gated else 1) * self.intermediate + width
        layer = 4 * (width * width + width) + mlp + 2 * family.norm * width
        patches = (self.numbers + (self.positions > 0) + self.positions) * width
        return self.layers * layer + patches + family.norm * width + self._mergers

    @property
    def linear_parameters(self) -> int:
        """Weights of linear modules: neither biases nor norms, patches' or positions' embedding."""
        width, family = self.width, _FAMILIES[self.kind]
        layer = 4 * width * width + (3 if family.gated else 2) * width * self.intermediate
        if self.kind == "siglip":  # Its projection is a parameter of no linear module.
            return self.layers * layer
        joined = self.width * self.merged
        return self.layers * layer + (1 + self.deep) * joined * (joined + self.out)

    @property
    def _mergers(self) -> int:
        """Two matrices that join patches and lead on; SigLIP's projection is one behind a mean."""
        if self.kind == "siglip":
            return self.width * self.out + self.width
        joined = self.width * self.merged
        each = joined * joined + joined + joined * self.out + self.out
        # Those of deeper layers norm what is joined.
        return each + self.deep * (each + 2 * joined)

    @property
    def adapted(self) -> frozenset[str]:
        """Matrices that have the names of a text model's, by which PEFT finds them."""
        if self.kind == "siglip":
            return frozenset(("q_proj", "k_proj", "v_proj"))
        gated = _FAMILIES[self.kind].gated
        return frozenset(("gate_proj", "up_proj", "down_proj") if gated else ())

    @property
    def layer_bytes(self) -> int:
        """What one layer keeps of a patch, its input included where its norm keeps that.

        An RMSNorm keeps a copy in fp32 instead.
        """
        family = _FAMILIES[self.kind]
        turn = 0 if self.kind == "siglip" else _TURN
        return family.width_bytes * self.width + family.mlp_bytes * self.intermediate + turn

    @property
    def backward_bytes(self) -> int:
        """What the backward pass of one layer adds, for a patch."""
        return _FAMILIES[self.kind].backward_bytes * self.intermediate

    @property
    def forward_bytes(self) -> int:
        """What a pass without gradient takes of a patch, the patch included; 0 for SigLIP's.

        While queries and keys are turned in fp32 (`apply_rotary_pos_emb_vision`), with what the
        mergers of deeper layers have made, and the learned positions (`tests/memory/fake_towers`).
        """
        if self.kind == "siglip":
            return 0
        made = 2 * self.deep * self.out // self.merged
        layer = (36 if self.positions else 34) * self.width + _TURN
        return layer + made + _PIXEL * self.numbers

    def kept_bytes(self, *, checkpointed: bool) -> int:
        """What its layers keep of a patch until their backward pass.

        The patch itself is included, and what the mergers of deeper layers keep, whose backward
        pass follows that of the last layer.
        """
        each = 2 * self.width if checkpointed else self.layer_bytes
        deep = self.deep * _DEEP * self.width
        return self.layers * each + deep + _PIXEL * self.numbers

    @property
    def merger_bytes(self) -> int:
        """What leads to the text keeps of a patch; free before the layers' backward pass."""
        return _FAMILIES[self.kind].merger_bytes * self.width
