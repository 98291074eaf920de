"""Whole numbers from texts of any length."""

from __future__ import annotations

from typing import Final

MAX_DIGITS: Final = 4_000
"""Python itself refuses texts beyond 4,300, and so does every program written in it."""


def is_digits(text: str) -> bool:
    """Whether a text is digits from 0 to 9 alone, at least one.

    `str.isdigit` also takes digits that `int` refuses (²) or that no program here means (٣).
    """
    return text.isascii() and text.isdigit()


def natural_number(text: str) -> int | None:
    """The number that digits from 0 to 9 are; None for any other text, or too many digits."""
    return whole_number(text) if is_digits(text) else None


def whole_number(text: str) -> int | None:
    """The number that `int` makes of a text; None where it has too many digits, or is none."""
    if len(text) > MAX_DIGITS:
        return None
    try:
        return int(text)
    except ValueError:
        return None
