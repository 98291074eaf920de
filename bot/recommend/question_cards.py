"""The cards of a question, each with its number and its memory: `4 A100 40GB and 4 A100 80GB`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bot.base.device_words import ROUNDING, with_memory
from bot.base.devices import Device, by_token
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.recommend.cards import CardGroup, nearest_in_memory
from bot.recommend.refusals import of_laptop
from bot.recommend.request import MOST_GPUS
from bot.recommend.sorted_words import HardwareWord, SortedWords

_IN_LAPTOPS = regex(r"NVIDIA (?:GeForce )?RTX (?!PRO 6000)")
"""Cards of whose name there is one in laptops, with less memory."""
_NODE = 8
"""GPUs of a node whose number is not named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCards:
    """Which cards a question names, and how many of them."""

    cards: tuple[Device, ...] = ()
    gpus: int | None = None
    """Of each card; None where it is open, or where each has its own number."""
    numbers: tuple[int, ...] = ()
    """Of each card, in their order, where each has its own number."""
    is_mixed: bool = False
    """Whether the cards with numbers may stand in one run."""
    is_card_taken: bool = False
    """Whether a card is the commonest of its memory, since none is named."""

    @property
    def groups(self) -> tuple[CardGroup, ...]:
        """The cards with their numbers; first all in one run, where they may stand so.

        There each takes an equal share, so that they are as many of the smallest.
        """
        if not self.numbers:
            return tuple(CardGroup(card, self.gpus) for card in self.cards)
        each = tuple(map(CardGroup, self.cards, self.numbers))
        if not self.is_mixed:
            return each
        smallest = min(self.cards, key=lambda card: card.usable_gib)
        names = tuple(f"{one.gpus} × {one.device.label}" for one in each)
        return (CardGroup(smallest, sum(self.numbers), names), *each)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """What a question says of one kind of card."""

    kinds: tuple[Device, ...] = ()
    gpus: int | None = None
    gib: int | None = None
    nodes: int | None = None
    after: str = ""
    """The word between it and the one before: `and`, `or`."""

    @property
    def is_count(self) -> bool:
        """Whether it says a number alone."""
        return not self.kinds and self.gib is None

    @property
    def number(self) -> int | None:
        """GPUs over all nodes: up to eight that are named beside nodes are those of each node."""
        if self.nodes is None:
            return self.gpus
        each = self.gpus or _NODE
        return each if each > _NODE and each % self.nodes == 0 else self.nodes * each


def question_cards(parts: SortedWords) -> QuestionCards:
    """The cards and their numbers; raises UserError for numbers that no card can be found for."""
    named = _with_total(_of_cards(_named(parts.hardware)), parts)
    if all(one.is_count for one in named):
        return QuestionCards(gpus=_checked(named[0].number) if named else None)
    if "laptop" in parts.values:
        named = list(map(_of_laptop, named))
    cards = list(map(_device, named))
    is_either = "either" in parts.values or any(one.after == "or" for one in named)
    is_one = "several" not in parts.values
    if not is_one and all(one.number is None for one in named[1:]):
        named = _of_all(named, is_either=is_either)
    numbers = _numbers(named, cards, is_either=is_either, is_one=is_one)
    found: dict[Device, list[int]] = {}
    for card, one, number in zip(cards, named, numbers, strict=True):
        of_card = found.setdefault(card, [])
        if one.after == "and" and of_card and number is not None and not is_either:
            of_card[-1] += number  # 4 H100 for training and 4 H100 for vLLM.
        elif number is not None and number not in of_card:
            of_card.append(number)
    known = QuestionCards(
        cards=tuple(sorted(found, key=lambda card: card.token)),
        is_card_taken=not any(one.kinds for one in named),
    )
    different = {_checked(number) for of_card in found.values() for number in of_card}
    own = [(card, number) for card, of_card in found.items() for number in of_card]
    is_mixed = not is_either and len(found) > 1
    if not all(found.values()) or (len(different) == 1 and not is_mixed):
        return replace(known, gpus=next(iter(different), None))
    return replace(
        known,
        cards=tuple(card for card, _ in own),
        numbers=tuple(number for _, number in own),
        is_mixed=is_mixed,
    )


def _named(words: Sequence[HardwareWord]) -> list[_Named]:
    """What stands together of the words: a number before or behind a card, and its memory."""
    are_behind = (
        len([word for word in words if word.kind == "count"]) > 1
        and words[0].kind in ("card", "memory")
        and words[-1].kind == "count"
    )
    named = [_Named()]
    for word in words:
        last, kind = named[-1], "times" if are_behind and word.kind == "count" else word.kind
        if kind in ("and", "or"):
            named += [] if last == _Named(after=last.after) else [_Named()]
            named[-1] = replace(named[-1], after=kind if len(named) > 1 else "")
            continue
        field = {"card": "kinds", "memory": "gib", "nodes": "nodes"}.get(kind, "gpus")
        says: dict[str, Any] = {field: word.devices or word.number}
        if getattr(last, field) not in (None, ()) or (kind == "count" and not last.is_count):
            named.append(_Named(**says))
        else:
            named[-1] = replace(last, **says)
    return [one for one in named if one != _Named(after=one.after)]


def _of_cards(named: list[_Named]) -> list[_Named]:
    """Each with a card or its memory; raises UserError for a number or a memory of none."""
    parts = named[1:]  # 4 A100s (two 40GB and two 80GB).
    are_memory = len(parts) > 1 and not any(one.kinds or one.gib is None for one in parts)
    if are_memory and sum(one.number or 0 for one in parts) == named[0].number:
        named = [replace(one, kinds=named[0].kinds) for one in parts]
    for at, one in enumerate(named):
        beside = None
        if one.is_count:
            beside = _with_number(named, at)
        elif not one.kinds:
            beside = _with_memory_of(named, at)
        if beside is not None:
            return _of_cards(beside)
    if len(named) > 1 and any(one.is_count for one in named):
        raise UserError(
            "{numbers} are several numbers of GPUs: name one, or each with its card. Lengths are "
            "written 1k+2k, a batch batch=128.",
            numbers=", ".join(map(str, sorted({one.number or 0 for one in named} - {0}))),
        )
    return named


def _with_number(named: list[_Named], at: int) -> list[_Named] | None:
    """With the number at a place where it belongs; None where that is nowhere.

    Beside `or` it is one more number of the card there; behind several cards it is of each.
    """
    one, others = named[at], named[:at] + named[at + 1 :]
    are_nodes = one.nodes == len(others) > 1 and one.gpus is None  # 2 machines, each with its own.
    if are_nodes or any(one.number == other.number for other in others):
        return others
    near = named[at - 1 : at] if at and one.after == "or" else named[at + 1 : at + 2]
    more = [
        other.after for other in named[at + 2 : at + 3] if near and other.kinds == near[0].kinds
    ]
    if near and "or" in (one.after, near[0].after, *more) and not near[0].is_count:
        return [*named[:at], replace(one, kinds=near[0].kinds, gib=near[0].gib), *named[at + 1 :]]
    if at and at == len(others) and all(other.number is None for other in others):
        is_sum = one.gpus == len(others) and any(other.after == "and" for other in others)
        gpus, nodes = (1, None) if is_sum else (one.gpus, one.nodes)
        return [replace(other, gpus=gpus, nodes=nodes) for other in others]
    return None


def _with_memory_of(named: list[_Named], at: int) -> list[_Named] | None:
    """With the memory at a place for the card that has it; None where it is one card's by itself.

    Raises UserError where it is none's.
    """
    one, others = named[at], named[:at] + named[at + 1 :]
    gib = one.gib or 0
    for place, other in enumerate(others):
        says_no_number = one.gpus in (None, other.gpus) and one.nodes is None
        if says_no_number and gib in (other.gib, (other.gib or 0) * (other.number or 1)):
            return others
        has_so_much = other.gib is None and (other.is_count or _of_so_much(other, gib))
        if has_so_much and (says_no_number or (not one.after and other.gpus is None)):
            says = replace(other, gib=gib, gpus=one.gpus or other.gpus)
            return [*others[:place], says, *others[place + 1 :]]
    if at and one.after == "or" and _of_so_much(named[at - 1], gib):  # A100 40GB or 80GB.
        return [*named[:at], replace(named[at - 1], gib=gib, after="or"), *named[at + 1 :]]
    are_apart = any(other.after for other in named) and not any(other.kinds for other in others)
    if one.gpus or not others or are_apart:
        return None
    known = [other.gib for other in named if other.gib is not None]
    if len(known) == 1:
        _device(replace(others[0], gib=gib))
    raise UserError(
        "The question names {values}: one of them, please.",
        values=", ".join(f"{gib} GB" for gib in known),
    )


def _with_total(named: list[_Named], parts: SortedWords) -> list[_Named]:
    """The memory of all GPUs together is that of each as often as there are GPUs, one if none say.

    Beside a card or its memory it says nothing that those do not.
    """
    total = parts.integer("total")
    if total is None or any(not one.is_count for one in named):
        return named
    count = (named[0].number if named else None) or 1
    return [_Named(gpus=count, gib=total // count)]


def _of_all(named: list[_Named], *, is_either: bool) -> list[_Named]:
    """With the number before the first card for each, where it is of all: 3 GPUs: 4090, 3090, A40.

    `8 GPUs: A100 or 4090` are eight of each.
    """
    number = named[0].number
    is_sum = number == len(named) and not is_either
    if len(named) == 1 or number is None or not (is_sum or is_either):
        return named
    return [replace(one, gpus=1 if is_sum else number, nodes=None) for one in named]


def _numbers(
    named: Sequence[_Named], cards: Sequence[Device], *, is_either: bool, is_one: bool
) -> Iterator[int | None]:
    """How many there are of each card, where that follows for those without a number.

    `8xA100 or H100` are eight of each, `2x4090 or A100` one of the other; `3090 + 4090` are one
    and one, and 24GB are those of one card. None where it is open, or where the same card is named
    with a number too.
    """
    pairs = list(zip(named, cards, strict=True))
    are_single = all(card.interconnect == "pcie" for card in cards)
    are_added = any(one.after == "and" for one in named)
    for at, (one, card) in enumerate(pairs):
        known = [
            (other.number, its)
            for other, its in (*pairs[:at][::-1], *pairs[at + 1 :])
            if other.number is not None
        ]
        like = [number for number, its in known if its.interconnect == card.interconnect]
        if one.number is not None:
            yield one.number
        elif any(its == card for _, its in known):
            yield None
        elif not known:
            are_one = are_added and are_single and not is_either
            yield 1 if are_one or (is_one and not one.kinds) else None
        else:
            yield like[0] if like and (is_either or not are_single) else 1


def _device(one: _Named) -> Device:
    """The device that is meant; raises UserError where no card has the memory."""
    if not one.kinds:
        return _card_with(one.gib or 0)
    if one.gib is None:
        return one.kinds[0]
    fitting = _of_so_much(one, one.gib)
    if not fitting:
        raise UserError(
            "There is no {label} with {gib} GB here: it has {known} GB.",
            label=one.kinds[0].label,
            gib=one.gib,
            known=", ".join(map(str, sorted({round(card.memory_gib) for card in one.kinds}))),
        )
    return fitting[0]


def _of_so_much(one: _Named, gib: int) -> tuple[Device, ...]:
    """Those of its devices with so much memory, or of which as many as are named have so much."""
    count = one.number or 1
    return with_memory(one.kinds, gib) or tuple(
        card for card in one.kinds if abs(count * card.memory_gib - gib) <= ROUNDING * gib
    )


def _of_laptop(one: _Named) -> _Named:
    """With the card as laptops have it; where that is not known its memory alone.

    Raises UserError where that is not named.
    """
    card = one.kinds[0] if one.kinds else None
    if card is None or not _IN_LAPTOPS.match(card.reported_name) or "laptop" in card.token:
        return one  # A laptop that reaches the cards of a data center.
    known = by_token(f"{card.token}laptop")
    if not known and one.gib is None:
        raise of_laptop(card)
    return replace(one, kinds=known[:1])


def _card_with(gib: int) -> Device:
    """The commonest card with so much memory; raises UserError where there is none."""
    near = nearest_in_memory(gib)
    if abs(near[0].memory_gib - gib) <= ROUNDING * gib:
        return near[0]
    raise UserError(
        "No card with {gib} GB is known here: the nearest are {near}, with {known} GB.",
        gib=gib,
        near=", ".join(device.label for device in near),
        known=round(near[0].memory_gib),
    )


def _checked(number: int | None) -> int | None:
    """A number of GPUs; raises UserError for one that is none."""
    if number is not None and not 1 <= number <= MOST_GPUS:
        raise UserError(
            "{number} is no number of GPUs from 1 to {most}.", number=number, most=MOST_GPUS
        )
    return number
