"""Which attention a TRL trainer's model has, and in how many rows a pass."""

from __future__ import annotations

from typing import TypedDict

from bot.memory.readers.settings import MemorySettings
from bot.memory.readers.trl.precision import Precision


class AttentionRows(TypedDict, total=False):
    """What a `Role` has of them: eager ones, or torch's own in bf16."""

    eager_update: int
    eager_forward: int
    bf16_update: int
    bf16_forward: int


def attention_rows(
    get: MemorySettings, precision: Precision, update: int, forward: int
) -> AttentionRows:
    """Of so many rows in a pass with gradient, and in one without; none of flash attention."""
    named = (get.text("attn_implementation") or "sdpa").lower()
    if get.plan.framework == "open-instruct":
        return {}
    if named == "eager":
        return {"eager_update": update, "eager_forward": forward}
    if named == "sdpa" and precision.half == "bf16":
        return {"bf16_update": update, "bf16_forward": forward}
    return {}
