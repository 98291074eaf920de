"""Whole numbers from texts of any length."""

from __future__ import annotations

from typing import Final

MAX_DIGITS: Final = 4_000
"""Python itself refuses texts beyond 4,300, and so does every program written in it."""


def whole_number(text: str) -> int | None:
    """The number that `int` makes of a text; None where it has too many digits, or is none."""
    if len(text) > MAX_DIGITS:
        return None
    try:
        return int(text)
    except ValueError:
        return None
