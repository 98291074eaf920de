"""The words of a question: cards as people write them, names of models, tasks and methods."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from bot.base.csv_file import read_table
from bot.base.devices import devices
from bot.base.digits import is_digits
from bot.base.regex import regex
from bot.memory.shapes.models import near as near_model
from bot.memory.shapes.models import pinned
from bot.recommend.cards import known_devices
from bot.recommend.model_names import is_size, parts_of_names
from bot.recommend.request import TASK_ALIASES, TASKS, Method
from bot.render.columns import aligned

_QUANTIZED = "4bit 4-bit int4 nf4 quantization quantisation quantized quantised quantize"
METHODS: Mapping[str, str] = {
    **{method: method for method in get_args(Method)},
    "full-parameter": "full",
    "rslora": "lora",
    **dict.fromkeys(_QUANTIZED.split(), "qlora"),
}
TASK_WORDS: Mapping[str, str] = {
    **{task: task for tasks in TASKS.values() for task in tasks},
    **TASK_ALIASES,
    "reward-model": "rm",
}
_CLOSE = 0.75
"""How similar a word must be for another to be meant (difflib's ratio): one letter of four."""
_LEAST_LETTERS = 4
"""A shorter name of a family is near to too many words."""
COUNTED = regex(r"\A\d{1,6}x|(?<![rg]t)(?<!\Ar)x\d{1,6}\Z")
"""How many of a card, in one word with it; the x of rtx6000 is no sign."""


@cache
def kind_words(kind: str) -> frozenset[str]:
    """The words of a kind in `word_kinds.csv`, which tells what each of the kinds says."""
    table = read_table(Path(__file__).parent / "word_kinds.csv")
    return frozenset(next(row["words"] for row in table if row["kind"] == kind).split())


@cache
def fillers() -> frozenset[str]:
    """Words that change nothing."""
    return frozenset((Path(__file__).parent / "fillers.txt").read_text(encoding="utf-8").split())


def is_known(word: str) -> bool:
    """Whether a word is a number, a size, a task or a method, which people write with a slash."""
    low = word.lower()
    return is_digits(low) or is_size(low) or low in {*TASK_WORDS, *METHODS, *kind_words("tuning")}


def is_plain(word: str) -> bool:
    """Whether a word is of no name: a file, or letters of no model's name and near to no word."""
    low = word.lower()
    if low.endswith((".sh", ".py", ".yaml", ".yml")):
        return True
    parts = low.split("-")
    return all(map(str.isalpha, parts)) and not any(map(_is_of_names, {low, *parts}))


def _is_of_names(low: str) -> bool:
    return low in parts_of_names() or nearest(low) is not None


def nearest(word: str) -> str | None:
    """The known word of any kind that is nearest to one that is not known; None for a known one."""
    names = _vocabulary()
    low = COUNTED.sub("", word.rsplit("/", 1)[-1].lower())
    if low in parts_of_names() or "=" in low:
        return None
    near = get_close_matches(low, names, n=1, cutoff=_CLOSE)
    return near_model(low) or (names[near[0]] if near else None)


def known(kind: Literal["models", "devices", "tasks"]) -> list[str]:
    """Every model, device or task that is known, a line for each."""
    if kind == "models":
        # Some are pinned by two spellings.
        rows = {name.lower(): (name, f"{size / 1e9:.1f}B") for name, size in pinned().items()}
        return aligned([rows[name] for name in sorted(rows)], right={1})
    if kind == "devices":
        cards = {device.token: device for device in reversed(known_devices())}
        return aligned(
            [
                (token, f"{card.memory_gib:.1f} GiB", card.reported_name or card.vendor)
                for token, card in sorted(cards.items())
            ],
            right={1},
        )
    tasks = sorted({task for tasks in TASKS.values() for task in tasks})
    return aligned(
        [
            (task, ", ".join(name for name, tasks in TASKS.items() if task in tasks))
            for task in tasks
        ],
        right=(),
    )


@cache
def _vocabulary() -> Mapping[str, str]:
    """Every known word in lower case, and as it is written."""
    names = {name.lower(): name for name in pinned()}
    families = (re.match("[a-z]*", name) for name in list(names))
    names |= {one[0]: one[0] for one in families if one and len(one[0]) >= _LEAST_LETTERS}
    names |= {
        token: device.label
        for device in reversed(devices())
        for token in (*device.name_tokens, device.token)
    }
    names |= {word: word for word in (*TASK_WORDS, *METHODS, *TASKS)}
    return names
