"""How far above the expected peak the conservative level stands, by the kind of run.

Each margin is the smallest multiple of 0.05 (at least 0.05) with which three of four measured peaks
of its kind are no higher than the conservative level, among those that the model has met: the
calibration and the first three rounds of `make unseen` (`tests/memory/test_bands.py` asks again).
What a card shows is among them: blocks that the allocator keeps after they are freed are part of
the spread. An adapter without experts on Megatron has one peak.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from bot.memory.workload import Role

Kind: TypeAlias = Literal[
    "full, FSDP",
    "full, Megatron",
    "full, other",
    "experts, Megatron",
    "adapter, sharded",
    "adapter, whole",
    "adapter, Megatron",
    "adapter of experts, Megatron",
    "quantized",
]
MARGINS: Mapping[Kind, float] = {
    "full, FSDP": 0.1,
    "full, Megatron": 0.15,
    "full, other": 0.2,
    "experts, Megatron": 0.35,
    "adapter, sharded": 0.05,
    "adapter, whole": 0.35,
    "adapter, Megatron": 0.15,
    "adapter of experts, Megatron": 0.5,
    "quantized": 0.4,
}
"""Shares of what the stage takes."""


def kind_of(role: Role) -> Kind:
    """The kind of run that a role is, by what divides the spread of the measured peaks."""
    megatron = role.backend == "megatron"
    experts = megatron and role.shape.experts is not None
    if role.adapter is None:
        if experts:
            return "experts, Megatron"
        if megatron:
            return "full, Megatron"
        return "full, FSDP" if role.backend in ("fsdp", "fsdp2") else "full, other"
    if role.frozen_bytes is not None:
        return "quantized"
    if experts:
        return "adapter of experts, Megatron"
    if megatron:
        return "adapter, Megatron"
    whole = role.backend == "ddp" or role.layout.shard == 1
    return "adapter, whole" if whole else "adapter, sharded"
