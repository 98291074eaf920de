"""The cards of a question, each with its number and its memory: `4 A100 40GB and 4 A100 80GB`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.base.device_words import ROUNDING
from bot.base.devices import Device, by_token
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.recommend.card_clauses import CardClause, card_clauses
from bot.recommend.cards import CardGroup, nearest_in_memory
from bot.recommend.refusals import of_laptop
from bot.recommend.request import MOST_GPUS
from bot.recommend.sorted_words import SortedWords

_IN_LAPTOPS = regex(r"NVIDIA (?:GeForce )?RTX (?!PRO 6000)")
"""Cards of whose name there is one in laptops, with less memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCards:
    """Which cards a question names, and how many of them."""

    cards: tuple[Device, ...] = ()
    gpus: int | None = None
    """Of each card; None where it is open, or where each has its own number."""
    choice: tuple[int, ...] = ()
    """The numbers of GPUs between which it asks where it names no card."""
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
            numbers = self.choice or (self.gpus,)
            return tuple(CardGroup(card, gpus) for card in self.cards for gpus in numbers)
        each = tuple(map(CardGroup, self.cards, self.numbers))
        if not self.is_mixed:
            return each
        smallest = min(self.cards, key=lambda card: card.usable_gib)
        names = tuple(f"{one.gpus} × {one.device.label}" for one in each)
        return (CardGroup(smallest, sum(self.numbers), names), *each)


def question_cards(parts: SortedWords) -> QuestionCards:
    """The cards and their numbers; raises UserError for numbers that no card can be found for."""
    clauses = _with_total(card_clauses(parts.hardware), parts)
    if all(one.is_count for one in clauses):
        numbers = tuple(dict.fromkeys(_checked(one.number or 0) for one in clauses))
        if len(numbers) > 1:
            return QuestionCards(choice=numbers)
        return QuestionCards(gpus=next(iter(numbers), None))
    if "laptop" in parts.values:
        clauses = list(map(_of_laptop, clauses))
    cards = [one.device() if one.kinds else _card_with(one.gib or 0) for one in clauses]
    is_either = "either" in parts.values or any(one.after == "or" for one in clauses)
    is_one = "several" not in parts.values
    if not is_one and all(one.number is None for one in clauses[1:]):
        clauses = _of_all(clauses, is_either=is_either)
    each = _numbers(clauses, cards, is_either=is_either, is_one=is_one)
    found: dict[Device, list[int]] = {}
    for card, one, number in zip(cards, clauses, each, strict=True):
        of_card = found.setdefault(card, [])
        if one.after == "and" and of_card and number is not None and not is_either:
            of_card[-1] += number  # 4 H100 for training and 4 H100 for vLLM.
        elif number is not None and number not in of_card:
            of_card.append(number)
    taken = not any(one.kinds for one in clauses)
    return replace(_of_each(found, is_either=is_either), is_card_taken=taken)


def _of_each(found: dict[Device, list[int]], *, is_either: bool) -> QuestionCards:
    """The cards with one number for all of them where that is so, else each with its own."""
    own = [(card, _checked(number)) for card, numbers in found.items() for number in numbers]
    different = {number for _, number in own}
    is_mixed = not is_either and len(found) > 1
    if not all(found.values()) or (len(different) == 1 and not is_mixed):
        cards = tuple(sorted(found, key=lambda card: card.token))
        return QuestionCards(cards=cards, gpus=next(iter(different), None))
    return QuestionCards(
        cards=tuple(card for card, _ in own),
        numbers=tuple(number for _, number in own),
        is_mixed=is_mixed,
    )


def _with_total(clauses: list[CardClause], parts: SortedWords) -> list[CardClause]:
    """The memory of all GPUs together is that of each as often as there are GPUs, one if none say.

    Beside a card or its memory it says nothing that those do not.
    """
    total = parts.integer("total")
    if total is None or any(not one.is_count for one in clauses):
        return clauses
    count = (clauses[0].number if clauses else None) or 1
    return [CardClause(gpus=count, gib=total // count)]


def _of_all(clauses: list[CardClause], *, is_either: bool) -> list[CardClause]:
    """With the number before the first card for each, where it is of all: 3 GPUs: 4090, 3090, A40.

    `8 GPUs: A100 or 4090` are eight of each.
    """
    number = clauses[0].number
    is_sum = number == len(clauses) and not is_either
    if len(clauses) == 1 or number is None or not (is_sum or is_either):
        return clauses
    return [replace(one, gpus=1 if is_sum else number, nodes=None) for one in clauses]


def _numbers(
    clauses: Sequence[CardClause], cards: Sequence[Device], *, is_either: bool, is_one: bool
) -> Iterator[int | None]:
    """How many there are of each card; None where that is open.

    | of cards without a number | it is |
    | --- | --- |
    | the same card has one elsewhere: `a rig with 4x4090, 4090` | left to that one |
    | behind `or` the same card has one: `3090 or two 3090s` | 1 |
    | none has one: `3090 + 4090`; `24GB`; else | 1 of each; 1; open |
    | another one has: `8xA100 or H100`; `2x4090 or A100` | as many where linked alike; else 1 |
    """
    are_single = all(card.interconnect == "pcie" for card in cards)
    are_added = any(one.after == "and" for one in clauses) and not is_either
    for at, (one, card) in enumerate(zip(clauses, cards, strict=True)):
        known = [
            (clauses[other].number, cards[other])
            for other in (*range(at - 1, -1, -1), *range(at + 1, len(cards)))
            if clauses[other].number is not None
        ]
        like = [number for number, its in known if its.interconnect == card.interconnect]
        if one.number is not None:
            yield one.number
        elif any(its == card for _, its in known):
            yield 1 if [more.after for more in clauses[at + 1 : at + 2]] == ["or"] else None
        elif not known:
            yield 1 if (are_added and are_single) or (is_one and not one.kinds) else None
        else:
            yield like[0] if like and (is_either or not are_single) else 1


def _of_laptop(one: CardClause) -> CardClause:
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


def _checked(number: int) -> int:
    """A number of GPUs; raises UserError for one that is none."""
    if not 1 <= number <= MOST_GPUS:
        raise UserError(
            "{number} is no number of GPUs from 1 to {most}.", number=number, most=MOST_GPUS
        )
    return number
