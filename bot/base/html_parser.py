"""Python's HTML parser, for untrusted text."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final

from bot.base.regex import regex

_LONG: Final = regex(r"&#[0-9]{9,};?")
"""References to characters that there are not. Python's `int` refuses 4,300 digits of one."""


class StrangersHtml(HTMLParser):
    """An `HTMLParser` that takes any text; raises nothing but `AssertionError` for declarations."""

    def feed(self, data: str) -> None:
        """Read on; a reference beyond Unicode is U+FFFD, as the standard of HTML has it."""
        super().feed(_LONG.sub("\ufffd", data))
