"""A model whose layers one process lays over several GPUs (`device_map="auto"`).

One card after the other is filled, in the order of the layers (`get_balanced_memory` and
`infer_auto_device_map` of transformers' `integrations/accelerate.py`, before transformers 5 of
accelerate's `utils/modeling.py`). All work on one pass, each when it is its turn: what a layer
keeps lies with it, and what the model hands over goes to the card of what it was given
(`io_same_device` of accelerate's `dispatch_model`), so that logits are there too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.memory.shapes.shape import Shape
from bot.memory.workload import Engine, Pool, Role, Workload

_BEYOND: Final = 1.25
"""Of the largest module beyond its share of the model a card may have."""
_QUANTIZED: Final = 0.9
"""Of that the share that bitsandbytes leaves (`adjust_max_memory` of its quantizers)."""
_FOUR_BITS: Final = 0.5
"""Bytes of a quantized weight, as it is counted there."""
_HANDED_OVER: Final = 2.0
"""Bytes of a logit in bf16, on its way from one card to another; with a gradient twice."""


@dataclass(frozen=True, slots=True)
class OnCard:
    """What one card has of a model."""

    layers: int
    embedding: bool
    head: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PartSizes:
    """Bytes of the parts of a model, as they are counted to lay it out."""

    layers: int
    layer: float
    embedding: float
    head: float
    """0 where it is the embedding."""
    share: float = 1.0
    """Of what a card may have the share that its quantizer leaves."""


def sizes_of(role: Role, *, counts_ends: bool) -> PartSizes:
    """The parts of a role's model.

    Before transformers 5 (`counts_ends` is False) an embedding counts as quantized, too.
    """
    shape = role.shape
    frozen = role.frozen_bytes if role.adapter and role.frozen_bytes else role.weight_bytes
    quantized = frozen < _HANDED_OVER
    each = _FOUR_BITS if quantized else frozen
    end = shape.embedding * (_HANDED_OVER if quantized else frozen)
    return PartSizes(
        layers=shape.layers,
        layer=each * shape.linear_parameters / shape.layers,
        embedding=end if counts_ends or not quantized else shape.embedding * each,
        head=0.0 if shape.tied or role.head == "value" else end,
        share=_QUANTIZED if quantized else 1.0,
    )


def cards_of(sizes: PartSizes, cards: int, *, counts_ends: bool) -> list[OnCard]:
    """What each of some cards has of a model of these sizes.

    On the first the room of the largest part that is not there yet is left free. Since transformers
    5 (`counts_ends`) the ends count as parts that are not divided.
    """
    largest = max(sizes.layer, sizes.embedding, sizes.head)
    whole = sizes.layers * sizes.layer + sizes.embedding + sizes.head
    beyond = _BEYOND * (largest if counts_ends else sizes.layer)
    each = (whole / cards + beyond) * sizes.share
    laid, left = [], sizes.layers
    embedded, headed = False, not sizes.head
    for place in range(cards):
        room = each if place < cards - 1 else float("inf")
        if not place:
            room -= largest if sizes.head else sizes.layer
        if not embedded and sizes.embedding > room:
            laid.append(OnCard(0, embedding=False, head=False))
            continue
        first = not embedded
        room -= sizes.embedding if first else 0.0
        layers = left if room == float("inf") else min(left, int(room // sizes.layer))
        left, room = left - layers, room - layers * sizes.layer
        head = not left and not headed and sizes.head <= room
        laid.append(OnCard(layers, embedding=first, head=head or (first and not sizes.head)))
        embedded, headed = True, headed or head
    return laid


def over_cards(workload: Workload, cards: int, *, counts_ends: bool, within: bool) -> Workload:
    """The workload of one process with the layers of its models over some cards.

    `within`: whether the model itself makes its loss, where its head is. An engine that stands
    beside it is on the first card.
    """
    pools = tuple(
        part
        for pool in workload.pools
        for part in _parts(pool, cards, counts_ends=counts_ends, within=within)
    )
    return replace(workload, pools=pools, gpus_per_node=cards)


def _parts(pool: Pool, cards: int, *, counts_ends: bool, within: bool) -> Iterator[Pool]:
    """The first card, the fullest between, and the one with the head: no other can be fuller."""
    laid = [
        cards_of(sizes_of(role, counts_ends=counts_ends), cards, counts_ends=counts_ends)
        for role in pool.roles
    ]
    if not laid:
        yield pool
        return
    main = laid[0]
    head = next(place for place, card in enumerate(main) if card.head)
    between = [n for n in range(1, cards) if n != head and main[n].layers]
    fullest = [max(between, key=lambda n: main[n].layers)] if between else []
    places = list(dict.fromkeys((0, *fullest, head)))
    empty = cards - len(between) - len({0, head})
    for place in places:
        pairs = zip(pool.roles, (on[place] for on in laid), strict=True)
        beside = place in fullest and len(between) > 1
        yield replace(
            pool,
            name=f"GPUs {between[0]}-{between[-1]}" if beside else f"GPU {place}",
            gpus=(len(between) if beside else 1) + (empty if place == places[-1] else 0),
            roles=tuple(_on(role, card, within=within) for role, card in pairs if _has(card)),
            engine=_engine(pool.engine, main[place], first=not place),
            held=0.0 if place else pool.held,
        )


def _has(card: OnCard) -> bool:
    return bool(card.layers) or card.embedding or card.head


def _on(role: Role, card: OnCard, *, within: bool) -> Role:
    """What a role has on a card. Only where both ends meet the logits stay where they are made."""
    shape = shape_on(role.shape, card)
    beside = role.beside_adapter
    if beside is not None:
        least = min(beside.parameters, role.shape.embedding) if shape.vocab else 0
        beside = replace(beside, parameters=least)
    on = replace(
        role,
        shape=shape,
        beside_adapter=beside if beside is not None and beside.parameters else None,
        image_share=role.image_share if card.embedding else 0.0,
    )
    if card.embedding == card.head:
        return on
    if not card.head:
        on = replace(on, head_copies=0.0, forward_head_copies=0.0)
    if card.head == within:
        return on
    handed = _HANDED_OVER if not (role.own_loss or role.logits_at_once) or card.head else 0.0
    back = handed if within else 2 * handed
    return replace(
        on,
        update_logits=min(role.update_logits, back),
        forward_logits=min(role.forward_logits, handed),
        evaluation_logits=min(role.evaluation_logits, handed),
    )


def shape_on(shape: Shape, card: OnCard) -> Shape:
    """The part of a model that lies on a card, with as many layers of each kind as it has of all.

    A card with an end alone counts as one with a layer, too.
    """
    layers = max(1, card.layers)
    share = layers / shape.layers
    ends = card.embedding or card.head
    own, moe, linear, latent = card.embedding, shape.experts, shape.linear, shape.latent
    return replace(
        shape,
        layers=layers,
        vocab=shape.vocab if ends else 0,
        tied=True,
        attending=_some(shape.attending, share),
        dense=_some(shape.dense, share),
        beside=round(shape.beside * share),
        experts=replace(moe, layers=round(moe.layers * share)) if moe else None,
        linear=replace(linear, layers=round(linear.layers * share)) if linear else None,
        latent=(
            replace(latent, index_layers=round(latent.index_layers * share)) if latent else None
        ),
        layer_embedding=shape.layer_embedding if own else 0,
        positions=shape.positions if own else 0,
        vision=shape.vision if own else 0,
        tower=shape.tower if own else None,
    )


def _some(count: int | None, share: float) -> int | None:
    return None if count is None else round(count * share)


def _engine(engine: Engine | None, card: OnCard, *, first: bool) -> Engine | None:
    """The trainer's own model generates where it lies; an engine beside it is on one card."""
    if engine is not None and engine.name == "hf":
        return replace(engine, shape=shape_on(engine.shape, card))
    return engine if first else None
