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


def _written(*kinds: str) -> str:
    """What is written for what it means, as alternatives."""
    return "|".join(one for one, meant in _numerals().items() if meant in kinds)


@cache
def _counted_in_chinese() -> re.Pattern[str]:
    """A number and what it counts; digits are left as they are before cards."""
    kinds = ("cards", "nodes", "tenths")
    digits = "".join(one for one, meant in _numerals().items() if meant not in (*kinds, "each"))
    every, alone = _written(*kinds), _written("nodes", "tenths")
    return re.compile(f"([{digits}]{{1,7}})({every})|([0-9]{{1,4}}) ?({alone})")


@cache
def _before_a_card() -> re.Pattern[str]:
    """A numeral in one word with a card."""
    pattern = f"({_written(*map(str, range(1, 10)))})(?:{_written('each')})?(?=[AHLV]?[0-9]{{2,4}})"
    return re.compile(pattern)


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
    if unit == "tenths":
        return f" {(total + digit) / 10:g}b "
    return f" {total + digit} {'nodes ' if unit == 'nodes' else ''}"


@cache
def _money_words(meant: str) -> str:
    """The words of a kind, as alternatives, the longest first."""
    table = read_table(Path(__file__).parent / "chinese_money.csv")
    words = [row["written"] for row in table if row["meant"].startswith(meant)]
    return "|".join(sorted(words, key=len, reverse=True))


@cache
def _times() -> Mapping[str, int]:
    """What stands behind a number to how much it multiplies it: ten thousand."""
    table = read_table(Path(__file__).parent / "chinese_money.csv")
    return {row["written"]: int(row["meant"][1:]) for row in table if row["meant"][:1] == "x"}


@cache
def _money() -> re.Pattern[str]:
    """A budget of 5000 yuan, 30,000 of budget, 2000 a month."""
    unit, price = _money_words("unit"), _money_words("price")
    # Cards are no money, but for the word of both.
    others = rf"(?![\d.]|\s?(?:[x*]|(?!{price})(?:{_written('cards', 'nodes')})))"
    number = rf"(\d[\d.]{{0,8}}){others}\s?({_money_words('x')})?"
    pattern = (
        rf"(?:{_money_words('before')})\D{{0,3}}{number}\s?(?:{unit}|{price})?"
        rf"|{number}\s?(?:{unit}|{_money_words('after')})"
    )
    return re.compile(pattern, re.IGNORECASE)


@cache
def _many_tokens() -> re.Pattern[str]:
    """A length in tens of thousands."""
    pattern = rf"(\d[\d.]{{0,5}})\s?({_money_words('x')})(?=\s?(?:{_money_words('tokens')}))"
    return re.compile(pattern, re.IGNORECASE)


def _multiplied(number: str, unit: str | None) -> str:
    """A number as it is meant; as it is written where it is none."""
    try:
        meant = float(number) * _times().get((unit or "").lower(), 1)
    except ValueError:
        return number
    return f"{meant:.2f}".rstrip("0").rstrip(".")


def without_chinese(text: str) -> str:
    """A question with its Chinese words for cards, nodes and tasks in ours, the rest left out."""
    text = _many_tokens().sub(lambda found: _multiplied(found[1], found[2]), text)
    text = _money().sub(
        lambda found: f" price={_multiplied(found[1] or found[3], found[2] or found[4])} ", text
    )
    text = _before_a_card().sub(lambda found: f"{_numerals()[found[1]]}x", text)
    text = _counted_in_chinese().sub(_number_in_chinese, text)
    for written, meant in _chinese():
        text = text.replace(written, f" {meant} ")
    return "".join(" " if 0x2E80 <= ord(char) <= 0xD7AF else char for char in text)


def has_chinese(text: str) -> bool:
    """Whether a question is asked in Chinese, at least in part; Japanese has letters of its own."""
    return any(map(_is_chinese, text)) and not any(0x3040 <= ord(char) <= 0x30FF for char in text)


def _is_chinese(char: str) -> bool:
    return 0x2E80 <= ord(char) <= 0x9FFF


@cache
def _chinese() -> tuple[tuple[str, str], ...]:
    table = read_table(Path(__file__).parent / "chinese_words.csv")
    return tuple((row["written"], row["meant"]) for row in table)
