"""What a question says of its cards, clause by clause: `4 A100 40GB` `and 4 A100 80GB`.

A clause that names no card gets its own from those around it, by the first of the forms in
`NUMBERS` and `MEMORIES` that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from bot.base.device_words import ROUNDING, with_memory
from bot.base.devices import Device, refitted
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.recommend.refusals import one_of
from bot.recommend.sorted_words import HardwareWord

NODE = 8
"""GPUs of a node whose number is not named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardClause:
    """What stands together of one kind of card."""

    kinds: tuple[Device, ...] = ()
    """Those that the card's word may mean."""
    gpus: int | None = None
    gib: int | None = None
    nodes: int | None = None
    each: int | None = None
    """GPUs of each node, where `gpus` are those of all."""
    is_unable: bool = False
    """Whether it is of a card for which no script is made."""
    after: str = ""
    """The word between it and the one before: `and`, `or`."""

    @property
    def is_count(self) -> bool:
        """Whether it says a number alone."""
        return not (self.kinds or self.is_unable) and self.gib is None

    @property
    def number(self) -> int | None:
        """GPUs over all nodes: up to eight that are named beside nodes are those of each node."""
        if self.nodes is None:
            return self.gpus
        each = self.gpus or NODE
        return each if each > NODE and each % self.nodes == 0 else self.nodes * each

    def of_so_much(self, gib: int) -> tuple[Device, ...]:
        """Those of its devices with so much memory, or of which as many as are named have it."""
        count = self.number or 1
        return with_memory(self.kinds, gib) or tuple(
            card for card in self.kinds if abs(count * card.memory_gib - gib) <= ROUNDING * gib
        )

    def device(self) -> Device:
        """The device that is meant; raises UserError where no such card has the memory."""
        if self.gib is None:
            return self.kinds[0]
        fitting = self.of_so_much(self.gib) or refitted(self.kinds, self.gib)
        if not fitting:
            raise UserError(
                "There is no {label} with {gib} GB here: it has {known} GB.",
                label=self.kinds[0].label,
                gib=self.gib,
                known=", ".join(map(str, sorted({round(one.memory_gib) for one in self.kinds}))),
            )
        return fitting[0]


def card_clauses(words: Sequence[HardwareWord]) -> list[CardClause]:
    """The clauses of a question, each with a card or its memory; numbers alone where none has.

    Raises UserError for a number or a memory that no card can be found for.
    """
    return _with_cards(_apart(words))


def _apart(words: Sequence[HardwareWord]) -> list[CardClause]:
    """What stands together of the words: a number before or behind a card, and its memory."""
    are_behind = (
        len([word for word in words if word.kind == "count"]) > 1
        and words[0].kind in ("card", "memory")
        and words[-1].kind == "count"
    )
    clauses = [CardClause()]
    for word in words:
        last = clauses[-1]
        if word.kind in ("and", "or"):
            clauses += [] if last == CardClause(after=last.after) else [CardClause()]
            clauses[-1] = replace(clauses[-1], after=word.kind if len(clauses) > 1 else "")
            continue
        says = _says(word, clauses[-2] if last.after == "or" and last.is_count else None)
        is_next = word.kind == "count" and not are_behind and not last.is_count
        if is_next or any(getattr(last, field) not in (None, (), False) for field in says):
            clauses.append(CardClause(**says))
        else:
            clauses[-1] = replace(last, **says)
    return [one for one in clauses if one != CardClause(after=one.after) and not one.is_unable]


def _says(word: HardwareWord, other: CardClause | None) -> dict[str, Any]:
    """What a word says of its clause; a number alone may count nodes as that of `other` does."""
    if word.kind == "unable":
        return {"is_unable": True}
    if word.kind in ("card", "memory", "nodes"):
        field = {"card": "kinds", "memory": "gib"}.get(word.kind, "nodes")
        return {field: word.devices or word.number}
    if other is not None and word.is_bare and word.number < (other.each or other.gpus or NODE):
        if other.each:  # A node of 8 H100, or two.
            return {"gpus": word.number * other.each, "each": other.each}
        if other.nodes:
            return {"nodes": word.number}
    return {"gpus": word.number} | ({"each": word.each} if word.each else {})


def _with_cards(clauses: list[CardClause]) -> list[CardClause]:
    """Each with a card or its memory, as the forms have it."""
    for at, one in enumerate(clauses):
        forms = NUMBERS if one.is_count else MEMORIES if not one.kinds else ()
        for form in forms:
            changed = form.read(clauses, at)
            if changed is not None:
                return _with_cards(changed)
        if not one.is_count and not one.kinds:
            _check_memory(clauses, at)
    counts = [one for one in clauses if one.is_count]
    is_choice = len(counts) == len(clauses) and any(one.after == "or" for one in counts)
    if counts and len(clauses) > 1 and not is_choice:
        raise UserError(
            "{numbers} are several numbers of GPUs: name one, or each with its card. Lengths are "
            "written 1k+2k, a batch batch=128.",
            numbers=", ".join(map(str, sorted({one.number or 0 for one in clauses} - {0}))),
        )
    return clauses


def _check_memory(clauses: Sequence[CardClause], at: int) -> None:
    """Raise UserError for a memory that is neither another clause's nor a card by itself."""
    one, others = clauses[at], _without(clauses, at)
    are_apart = any(other.after for other in clauses) and not any(other.kinds for other in others)
    if one.gpus or not others or are_apart:
        return
    known = [other.gib for other in clauses if other.gib is not None]
    if len(known) == 1:
        replace(others[0], gib=one.gib).device()
    raise one_of(", ".join(f"{gib} GB" for gib in known))


def _without(clauses: Sequence[CardClause], at: int) -> list[CardClause]:
    return [*clauses[:at], *clauses[at + 1 :]]


def _changed(clauses: Sequence[CardClause], at: int, **changes: Any) -> list[CardClause]:
    return [*clauses[:at], replace(clauses[at], **changes), *clauses[at + 1 :]]


def _counts_clauses(clauses: Sequence[CardClause], at: int) -> list[CardClause] | None:
    """The number of the machines, each of which has a clause of its own."""
    one, others = clauses[at], _without(clauses, at)
    return others if one.gpus is None and one.nodes == len(others) > 1 else None


def _number_again(clauses: Sequence[CardClause], at: int) -> list[CardClause] | None:
    """A number that another clause has too."""
    others = _without(clauses, at)
    return others if any(clauses[at].number == other.number for other in others) else None


def _other_number(clauses: Sequence[CardClause], at: int) -> list[CardClause] | None:
    """Beside `or` one more number of the card that stands there."""
    one = clauses[at]
    near_at = at - 1 if at and one.after == "or" else at + 1
    near = next(iter(clauses[near_at : near_at + 1]), None)
    if near is None or near.is_count:
        return None
    behind = [more.after for more in clauses[at + 2 : at + 3] if more.kinds == near.kinds]
    if "or" not in (one.after, near.after, *behind):
        return None
    says: dict[str, Any] = {"kinds": near.kinds, "gib": near.gib}
    if one.nodes and one.gpus is None and near.each:
        says |= {"gpus": one.nodes * near.each, "nodes": None}
    elif one.nodes and one.gpus is None and near.nodes:
        says |= {"gpus": near.gpus}
    return _changed(clauses, at, **says)


def _number_of_each(clauses: Sequence[CardClause], at: int) -> list[CardClause] | None:
    """Behind several cards the number of each, or of all where it counts what `and` adds up."""
    one, others = clauses[at], _without(clauses, at)
    if not at or at < len(others) or any(other.number is not None for other in others):
        return None
    is_sum = one.gpus == len(others) and any(other.after == "and" for other in others)
    gpus, nodes = (1, None) if is_sum else (one.gpus, one.nodes)
    return [replace(other, gpus=gpus, nodes=nodes) for other in others]


def _memories_of_first(clauses: Sequence[CardClause], _at: int) -> list[CardClause] | None:
    """Memories with numbers that add up to that of the first card."""
    first, *parts = clauses
    are_memories = len(parts) > 1 and not any(one.kinds or one.gib is None for one in parts)
    if not are_memories or sum(one.number or 0 for one in parts) != first.number:
        return None
    return [replace(one, kinds=first.kinds) for one in parts]


def _memory_of_card(clauses: Sequence[CardClause], at: int) -> list[CardClause] | None:
    """The memory of a card that stands apart from it, or that it has been given already."""
    one, others = clauses[at], _without(clauses, at)
    gib = one.gib or 0
    for place, other in enumerate(others):
        says_no_number = one.gpus in (None, other.gpus) and one.nodes is None
        if says_no_number and gib in (other.gib, (other.gib or 0) * (other.number or 1)):
            return others
        has_so_much = other.gib is None and (other.is_count or bool(other.of_so_much(gib)))
        if has_so_much and (says_no_number or (not one.after and other.gpus is None)):
            return _changed(others, place, gib=gib, gpus=one.gpus or other.gpus)
    return None


def _other_memory(clauses: Sequence[CardClause], at: int) -> list[CardClause] | None:
    """Behind `or` the other memory that there is of the card before."""
    one = clauses[at]
    if not at or one.after != "or" or not clauses[at - 1].of_so_much(one.gib or 0):
        return None
    return [*clauses[:at], replace(clauses[at - 1], gib=one.gib, after="or"), *clauses[at + 1 :]]


@dataclass(frozen=True, slots=True)
class CardForm:
    """A way of naming a number or a memory apart from its card."""

    read: Callable[[Sequence[CardClause], int], list[CardClause] | None]
    """The clauses with what the one at a place lacks; None where they have not this form."""
    written: str
    means: str


NUMBERS = (
    CardForm(_counts_clauses, "2 boxes: one with 8xA100, one with 4xH100", "8xa100 4xh100"),
    CardForm(_other_number, "4 or 8 H100", "4xh100 8xh100"),
    CardForm(_other_number, "1 or 2 nodes of 4 A100", "4xa100 8xa100"),
    CardForm(_number_again, "H100 8 gpus, 8xH100", "8xh100"),
    CardForm(_number_of_each, "4090 or 3090, 2 gpus", "2xrtx4090 2xrtx3090"),
    CardForm(_number_of_each, "4090 and 3090, 2 gpus", "1xrtx4090 1xrtx3090"),
)
"""Of a number that stands alone."""
MEMORIES = (
    CardForm(_memories_of_first, "4 A100s (two 40GB and two 80GB)", "2xa100-40 2xa100"),
    CardForm(_memory_of_card, "48GB VRAM (2x 24GB)", "2xrtx4090"),
    CardForm(_memory_of_card, "80GB, 4 A100", "4xa100"),
    CardForm(_other_memory, "4x A100 40GB or 80GB", "4xa100-40 4xa100"),
)
"""Of a memory without a card."""
