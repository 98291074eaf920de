"""The fullest pass of a role of verl: how many of a mini batch's tokens a GPU holds at once.

Sources: `utils/seqlen_balancing.py`, `workers/actor/dp_actor.py` and `workers/engine/` of verl 0.2
to 0.9.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least
from bot.memory.readers.lengths import (
    Lengths,
    Spreading,
    balanced_passes,
    batch_tokens,
    other_tokens,
    packed_tokens,
    padded_tokens,
)
from bot.memory.readers.settings import MemorySettings
from bot.memory.workload import Layout, Tokens

Padding: TypeAlias = Literal["removed", "longest", "allowed"]
"""Rows without padding, or as long as the longest of a pass, or as the settings allow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The settings that decide what one pass of a role holds."""

    dynamic: bool
    """Whether passes are filled up to `limit` tokens."""
    limit: int | None
    each: int | None
    """Sequences of one GPU."""
    over_all: int | None
    """Sequences over all GPUs, as older releases have it."""
    spread: Spreading = "tokens"
    sorted_of: int | None = None
    """Sequences of a step over all GPUs, where each GPU's are sorted by length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass of a role, and whether others come before its optimizer steps."""

    tokens: Tokens
    alone: bool = False
    others: Tokens = field(default=Tokens(0, 0, 0))
    """Of the step's other passes."""


def batch_of(
    get: MemorySettings, *, dynamic: bool, limit: Sequence[str], each: str, over_all: str
) -> Batch:
    """A role's batch by its settings; those that its kind of pass does not use may be anything."""
    rows = None if dynamic else get.count(each)
    return Batch(
        dynamic=dynamic,
        limit=get.count(*limit) if dynamic else None,
        each=rows,
        over_all=None if dynamic or rows else get.count(over_all),
    )


def by_release(batch: Batch, get: MemorySettings, actor: str, sequences: int | None) -> Batch:
    """A batch with how its trainer orders a step's `sequences` and spreads them over passes."""
    ordered = sequences if _sorts_by_length(get, actor) else None
    return replace(batch, spread=spread_by(get.plan), sorted_of=ordered)


def _sorts_by_length(get: MemorySettings, actor: str) -> bool:
    """Whether each GPU's sequences of a step lie in order of length before they are cut.

    `_balance_batch` of `ray_trainer.py` since 0.6.1; the trainer of 0.9 (`use_v1`) balances them
    alone, and `shuffle` mixes them again.
    """
    balanced = version_at_least(get.plan, 0, 6, 1) and get.on(True, "trainer.balance_batch")
    return (
        balanced and not get.on(False, "trainer.use_v1") and not get.on(False, f"{actor}.shuffle")
    )


def spread_by(plan: Plan) -> Spreading:
    """How a release spreads sequences over the passes of `use_dynamic_bsz`.

    `rearrange_micro_batches`: evenly by tokens up to 0.6.0, by work since 0.6.1 (#3605); 0.9.1
    takes more passes until none holds more than the limit.
    """
    if version_at_least(plan, 0, 9, 1):
        return "limit"
    return "work" if version_at_least(plan, 0, 6, 1) else "tokens"


def fullest_pass(
    layout: Layout, batch: Batch, sequences: int | None, of: Lengths, *, padding: Padding
) -> Pass | None:
    """One pass over `sequences` of all GPUs; None when it has no known size."""
    over = layout.sequence * layout.context
    ranks = max(1, layout.gpus // (over * layout.tensor * layout.pipeline))
    share = max(1, -(-(sequences or 1) // ranks))
    if padding == "allowed":
        of = replace(of, at_most=of.longest)
    if batch.sorted_of:
        each = max(share, batch.sorted_of // ranks)
        of = replace(of, sorted_of=each, mini=share)
    if batch.dynamic:
        if not batch.limit:
            return None
        tokens = packed_tokens(batch.limit, share, of, over=over, spread=batch.spread)
        if padding != "removed":
            tokens = padded_tokens(tokens, share, of, trimmed=padding == "longest")
        passes = balanced_passes(batch.limit, share, of, over=over)
        others = other_tokens(tokens, share, of, over=over)
        return Pass(tokens=tokens, alone=sequences is not None and passes == 1, others=others)
    count = batch.each or (max(1, batch.over_all // ranks) if batch.over_all else None)
    if count is None:
        return None
    if sequences is not None:
        count = min(count, share)
    tokens = batch_tokens(count, of, over=over, padded=padding != "removed")
    others = other_tokens(tokens, share, of, over=over)
    return Pass(tokens=tokens, alone=sequences is not None and count >= share, others=others)
