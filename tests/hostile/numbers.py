"""The rules' own examples with numbers that no run has: whoever counts up to them takes long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bot.rules._support.registry import RULES

_NUMBER = re.compile(r"(?<=[= ])[1-9][0-9]*(?![\w.])")
_LARGE: Final = "99999999977"  # A prime: nothing divides it.


def _changed(text: str) -> Iterator[str]:
    """The text with each of its numbers large, and with all of them."""
    for found in _NUMBER.finditer(text):
        yield text[: found.start()] + _LARGE + text[found.end() :]
    yield _NUMBER.sub(_LARGE, text)


NUMBERS: Final[dict[str, str]] = {
    f"large numbers in the example of {rule.meta.id} ({number})": text
    for rule in RULES.rules
    if rule.meta.example is not None
    for number, text in enumerate(_changed(rule.meta.example.bad), start=1)
}
