"""The words of a question, sorted by what they are: cards, counts, lengths, a task, a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Literal

from bot.base.device_words import card
from bot.base.devices import Device
from bot.base.digits import is_digits
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.recommend.model_names import is_exactly, model
from bot.recommend.refusals import card_word, is_unable, one_of, unsupported
from bot.recommend.request import MOST_GPUS, TASKS
from bot.recommend.spellings.spelling import NUMBER, UNIT
from bot.recommend.vocabulary import (
    COUNTED,
    METHODS,
    TASK_WORDS,
    fillers,
    is_plain,
    kind_words,
)

_BEFORE = regex(r"(\d{1,9})x(.+)")
_AFTER = regex(r"(.+)x(\d{1,9})")
_PRODUCT = regex(r"(\d{1,3})x(\d{1,2})")
_LENGTHS = regex(rf"({NUMBER})({UNIT})\+({NUMBER})({UNIT})")
_LENGTH = regex(rf"({NUMBER})(k)|(10|\d)(m)")
"""A length with its unit; one of more millions is the size of a model: smollm2 135m."""
_KEYED = regex(rf"(batch|rank|prompt|response|length|context|images|ram)=({NUMBER})({UNIT})")
_ASIDE = regex(r"left=(.+)")
_TOTAL = regex(r"total=(\d{1,4})")
_NODES = regex(r"nodes=(\d{1,4})_(\d{0,2})")
_MEMORY = regex(r"(?:(\d{1,3})x)?(\d{1,3})(?:gib|gb|g)(?:x(\d{1,3}))?")
_COUNT = regex(rf"(x?)({NUMBER})(x?|gpus?)")
_TIMES = regex(r"\d{1,4}x?")
_NEGATED = regex(r"(no|non|not|without)=(.+)")
_PASSING = regex(r"passing=(.+)")
"""Cards that are likely not the ones to train on: those that the question waits for."""
_DATE = regex(r"(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|2[2-9](?:0[1-9]|1[0-2])")
"""Month and day, or year and month, as models' names have them."""
_LENGTHS_STEP = 64
"""Lengths are multiples of it, where the dates in models' names are none: 1024, not 1124."""
_MOST_LENGTH = 1_000_000
"""Of a bare number."""
_LEAST_LENGTH = 128
"""A number from here on that stands by no card is a length."""
_KINDS = ("tuning", "rl", "laptop", "largest", "several", "either")
"""Kinds of words that say something by themselves."""
_MOST_TIMES = 6
"""Letters x in a word for cards: each may be a sign, and both sides of it are tried."""
_LEFT_AWAY = {
    **dict.fromkeys(("offload", "offloading", "offloaded"), "no offload"),
    "critic": "no critic",
}
_UNWANTED = {"lora": "full", "full": "lora", "dora": None, "qlora": None}
"""What a method that is not wanted leaves; DoRA and QLoRA are never taken of themselves."""


@dataclass(frozen=True, slots=True)
class HardwareWord:
    """A word about cards, in the order of the question."""

    kind: Literal["card", "unable", "count", "times", "memory", "nodes", "and", "or"]
    """`times` is a number behind what it counts, `unable` a card for which no script is made."""
    number: int = 0
    """Of GPUs or nodes; GB of memory."""
    devices: tuple[Device, ...] = ()
    """Those that a card's word may mean."""
    each: int = 0
    """GPUs of each node, where `number` are those of all."""
    is_bare: bool = False
    """Whether a count stands beside no word of cards: `or two?`."""


@dataclass(slots=True)
class SortedWords:
    """The words of a question, sorted by what they are."""

    hardware: list[HardwareWord] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    """Sentences about what changes no answer."""
    values: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, value: str) -> None:
        """A value of a kind; the same one twice is one."""
        values = self.values.setdefault(kind, [])
        if value not in values:
            values.append(value)

    def single(self, kind: str) -> str | None:
        """The one value of a kind; None without one. Raises UserError for several."""
        values = self.values.get(kind, [])
        if len(values) > 1:
            raise one_of(", ".join(sorted(values)))
        return values[0] if values else None

    def integer(self, kind: str) -> int | None:
        """The one value of a kind as a number."""
        value = self.single(kind)
        return None if value is None else int(value)

    @property
    def cards(self) -> list[tuple[Device, ...]]:
        """The devices that each word of a card may mean."""
        return [word.devices for word in self.hardware if word.kind == "card"]

    @property
    def names_cards(self) -> bool:
        """Whether a card is named, or the memory of one."""
        return any(word.kind in ("card", "memory") for word in self.hardware)

    def count(self, *numbers: int, kind: Literal["count", "times"] = "count") -> None:
        """Numbers of cards."""
        self.hardware += [HardwareWord(kind, number) for number in numbers]


def sort_words(
    words: Sequence[str], is_model_folder: Callable[[str], bool], parts: SortedWords
) -> None:
    """Put each word where it belongs, with its neighbours where those decide what it is."""
    around = ["", *(word.lower() for word in words), "", ""]
    for word, before, after, next_ in zip(words, around, around[2:], around[3:], strict=False):
        if aside := _ASIDE.fullmatch(word):
            parts.left_out.append(aside[1])
        elif word == "ask=longest":
            parts.add("longest", word)
        elif is_model_folder(word):
            parts.add("folder", word)
        elif _begins_one_card(word.lower(), after, next_):
            parts.count(1)
        elif "/" in word or _is_of_name(word.lower(), before, parts):
            parts.rest.append(word)
        elif word.lower() in kind_words("variant"):
            parts.left_out.append(word)
        elif not (
            _sort_card(word.lower(), parts)
            or _sort_between(word.lower(), after, next_, parts)
            or _sort_number(word.lower(), parts)
            or _sort_count(word.lower(), before, after, parts)
            or _sort_word(word.lower(), parts)
        ):
            stands_apart = not parts.rest or parts.rest[-1].lower() != before
            is_number = stands_apart and not any(map(str.isalpha, word))
            (parts.left_out if is_number else parts.rest).append(word)


def _sort_card(low: str, parts: SortedWords) -> bool:
    """Put a card where it belongs, also one for which no script is made; False for other words."""
    found = card(low)
    if not found and not is_unable(low):
        return False
    if not found:
        parts.add("unable", low)
    parts.hardware.append(HardwareWord("card" if found else "unable", devices=found))
    return True


def _sort_between(low: str, after: str, next_: str, parts: SortedWords) -> bool:
    """Put a word between cards where it belongs; False for others."""
    is_and = low in kind_words("and") and _begins_cards(after, next_)
    if is_and or low in kind_words("or"):
        parts.hardware.append(HardwareWord("and" if is_and else "or"))
        return True
    return False


def is_cards(word: str) -> bool:
    """Whether a word names cards, with or without their number, or their memory: 2x4090, 24gb."""
    low = word.lower()
    return bool(card(low) or _counted(low) or _MEMORY.fullmatch(low))


def _begins_cards(word: str, next_: str) -> bool:
    """Whether cards, their number or their memory come next."""
    one = next_ if word in kind_words("single") else word
    return is_cards(one) or any(form.fullmatch(one) for form in (_NODES, _TIMES))


def _begins_one_card(low: str, after: str, next_: str) -> bool:
    """Whether a single card comes next, or its memory: a 4090, my 24gb; not an A100 cluster."""
    if low not in kind_words("single") or next_ in kind_words("machine"):
        return False
    single = bool(card(after)) and not (after.endswith("s") and card(after[:-1]))
    return single or _MEMORY.fullmatch(after) is not None


def _is_of_name(low: str, before: str, parts: SortedWords) -> bool:
    """Whether a word belongs to the name before it: `4b instruct 2507`, `phi 3 mini 4k`."""
    if len(low) == 4 and low.startswith("0") and is_digits(low):
        return True  # Neither a length nor a count begins so.
    if not parts.rest or parts.rest[-1].lower() != before:
        return False
    if low in kind_words("variant") or (low == "it" and "gemma" in parts.rest[0].lower()):
        return True
    if _DATE.fullmatch(low):
        return int(low) % _LENGTHS_STEP != 0
    return _LENGTH.fullmatch(low) is not None and is_exactly((*parts.rest, low))


def _sort_word(low: str, parts: SortedWords) -> bool:
    """Put a word of letters where it belongs; False when it may be of a model's name."""
    task, _, method = low.rpartition("-")
    if low in TASK_WORDS:
        parts.add("task", TASK_WORDS[low])
    elif low in METHODS:
        parts.add("method", METHODS[low])
        if low != METHODS[low] == "qlora":
            parts.add("of 4 bits", low)
    elif kind := next((one for one in _KINDS if low in kind_words(one)), None):
        parts.add(kind, low)
    elif low in TASKS:
        parts.add("framework", low)
    elif passing := _PASSING.fullmatch(low):
        parts.add("passing", passing[1])
    elif negated := _NEGATED.fullmatch(low):
        _sort_unwanted(negated[1], negated[2], parts)
    elif task in TASK_WORDS and method in METHODS:
        parts.add("task", TASK_WORDS[task])
        parts.add("method", METHODS[method])
    else:
        return low in fillers()
    return True


def _sort_unwanted(no: str, low: str, parts: SortedWords) -> None:
    """Put what is not wanted where it belongs; raises UserError for what else is known."""
    if low in METHODS:
        parts.add("unwanted", METHODS[low])
        if left := _UNWANTED[METHODS[low]]:
            parts.add("method", left)
        if set(parts.values.get("method", ())) & set(parts.values["unwanted"]):
            raise says_what_is_not_wanted(no, low)
    elif low in TASK_WORDS or low in TASKS:
        parts.add("not task" if low in TASK_WORDS else "not framework", f"{no} {low}")
    elif card(low):
        parts.add("not card", f"{no} {low}")
    elif low in _LEFT_AWAY:
        parts.add(_LEFT_AWAY[low], low)
    elif low == "vllm":
        raise UserError(
            "Responses are generated with vLLM in the scripts here, so that there is no answer "
            "without it: leave it out, or ask about sft, dpo or rm."
        )
    elif low == "nvlink":
        parts.rest.append(low)
    elif _counted(low) or model((low,)):
        raise says_what_is_not_wanted(no, low)
    else:
        parts.left_out.append(f"{no} {low}")


def says_what_is_not_wanted(no: str, word: str) -> UserError:
    """The error of a question that names what is not wanted alone."""
    return UserError(
        '"{no} {word}" says what is not wanted; a question says what is.', no=no, word=word
    )


def _sort_number(low: str, parts: SortedWords) -> bool:
    """Put a word with a number where it belongs; False when it is none of these."""
    if lengths := _LENGTHS.fullmatch(low):
        prompt, response = tokens(lengths[1], lengths[2]), tokens(lengths[3], lengths[4])
        parts.add("lengths", f"{prompt}+{response}")
    elif length := _LENGTH.fullmatch(low):
        parts.add("lengths", str(tokens(length[1] or length[3], length[2] or length[4])))
    elif keyed := _KEYED.fullmatch(low):
        kind = "lengths" if keyed[1] == "length" else keyed[1]
        parts.add(kind, str(tokens(keyed[2], keyed[3])))
    elif nodes := _NODES.fullmatch(low):
        if nodes[2]:
            count, each = map(int, nodes.groups())
            parts.hardware.append(HardwareWord("count", count * each, each=each))
        else:
            parts.hardware.append(HardwareWord("nodes", int(nodes[1])))
    elif total := _TOTAL.fullmatch(low):
        parts.add("total", total[1])
    elif memory := _MEMORY.fullmatch(low):
        parts.count(*map(int, filter(None, [memory[1]])))
        parts.hardware.append(HardwareWord("memory", int(memory[2])))
        parts.count(*map(int, filter(None, [memory[3]])), kind="times")
    elif counted := _counted(low):
        parts.count(counted[0])
        parts.hardware.append(HardwareWord("card", devices=counted[1]))
    else:
        return False
    return True


def _sort_count(low: str, before: str, after: str, parts: SortedWords) -> bool:
    """Put a bare number where it belongs: it counts cards, is a length, or another word's."""
    if (product := _PRODUCT.fullmatch(low)) and _is_hardware(after):
        parts.count(int(product[1]) * int(product[2]))
        return True
    count = _COUNT.fullmatch(low)
    if count is None or card_word(low):
        return False
    number = int(count[2])
    is_count = bool(count[1] or count[3]) or _is_hardware(before) or _is_hardware(after)
    follows = bool(parts.rest) and parts.rest[-1].lower() == before and before.isalpha()
    if not is_count and follows and is_plain(before):
        parts.rest[-1] += f"={number}"  # A setting of which nothing is known: alpha 16.
    elif number > MOST_GPUS or (number >= _LEAST_LENGTH and not is_count):
        if _is_length(number):
            parts.add("lengths", str(number))
        else:
            parts.left_out.append(low)
    else:
        kind: Literal["count", "times"] = "times" if count[1] or before == "x" else "count"
        parts.hardware.append(HardwareWord(kind, number, is_bare=not is_count))
    return True


def _is_length(number: int) -> bool:
    """Whether a bare number may be of tokens: 2048 or 3000, no year and no other number."""
    return number <= _MOST_LENGTH and (number % _LENGTHS_STEP == 0 or number % 100 == 0)


def _is_hardware(word: str) -> bool:
    """Whether a number beside the word counts cards."""
    if COUNTED.search(word):
        return False
    known = (
        word in kind_words("hardware") or card(word) or _MEMORY.fullmatch(word) or card_word(word)
    )
    return bool(known or unsupported(word))


def _counted(low: str) -> tuple[int, tuple[Device, ...]] | None:
    """A number and a card in one word: 2x4090, 4090x2, 2x8xh100 (nodes, GPUs of each)."""
    if low.count("x") > _MOST_TIMES:
        return None
    for match, number, name in ((_BEFORE.fullmatch(low), 1, 2), (_AFTER.fullmatch(low), 2, 1)):
        if match is None:
            continue
        found = card(match[name])
        if found:
            return int(match[number]), found
        more = _counted(match[name])
        if more is not None:
            return int(match[number]) * more[0], more[1]
    return None


def tokens(number: str, unit: str | None) -> int:
    """A length as it is written, with or without `k` or `m` behind it."""
    return int(number) * {"k": 1024, "m": 1024**2}.get((unit or "").lower(), 1)
