"""Which operations carry out the layers of linear attention of a model that TRL trains."""

from __future__ import annotations

from dataclasses import replace

from bot.memory.readers.settings import MemorySettings
from bot.memory.readers.trl.unsloth import by_unsloth
from bot.memory.shapes.linear_attention import LinearAttention
from bot.memory.shapes.shape import Shape


def as_computed(get: MemorySettings, shape: Shape) -> Shape:
    """The shape of a model, whose rule runs in PyTorch's own operations.

    transformers takes the kernels of flash-linear-attention where that is installed, which neither
    it nor TRL asks for; verl's images have it. Rows that are packed need them: their states would
    run on into each other.
    """
    linear = shape.linear
    packed = get.on(False, "packing", "padding_free")
    if not isinstance(linear, LinearAttention) or packed or by_unsloth(get):
        return shape
    return replace(shape, linear=replace(linear, plain=True))
