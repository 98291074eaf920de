"""A question's Chinese words: numbers with what they count, and what has a word of ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from bot.base.csv_file import read_table


@cache
def _numerals() -> Mapping[str, str]:
    """What is written to what it means: a number, a multiple (x10), cards or nodes."""
    table = read_table(Path(__file__).parent / "chinese_numbers.csv")
    return {row["written"]: row["meant"] for row in table}


@cache
def _counted_in_chinese() -> re.Pattern[str]:
    """A number and what it counts; digits are left as they are before cards."""
    written = {
        kind: "|".join(one for one, meant in _numerals().items() if meant == kind)
        for kind in ("cards", "nodes")
    }
    digits = "".join(one for one in _numerals() if one not in "|".join(written.values()))
    every, nodes = "|".join(written.values()), written["nodes"]
    return re.compile(f"([{digits}]{{1,7}})({every})|([0-9]{{1,3}}) ?({nodes})")


def _number_in_chinese(found: re.Match[str]) -> str:
    unit = _numerals()[found[2] or found[4]]
    total, digit = 0, int(found[3] or 0)
    for char in found[1] or "":
        meant = _numerals()[char]
        if meant == "single" and unit == "nodes":
            return found[0]  # A single machine says nothing of its cards.
        if meant.startswith("x"):
            total, digit = total + (digit or 1) * int(meant[1:]), 0
        else:
            digit = 1 if meant == "single" else int(meant)
    return f" {total + digit} {'nodes ' if unit == 'nodes' else ''}"


def without_chinese(text: str) -> str:
    """A question with its Chinese words for cards, nodes and tasks in ours, the rest left out."""
    text = _counted_in_chinese().sub(_number_in_chinese, text)
    for written, meant in _chinese():
        text = text.replace(written, f" {meant} ")
    return "".join(" " if 0x2E80 <= ord(char) <= 0x9FFF else char for char in text)


@cache
def _chinese() -> tuple[tuple[str, str], ...]:
    table = read_table(Path(__file__).parent / "chinese_words.csv")
    return tuple((row["written"], row["meant"]) for row in table)
