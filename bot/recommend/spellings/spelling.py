"""One way of writing, and the one that it is given."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.base.regex import regex

NUMBER = r"\d{1,8}"
UNIT = "[km]?"
MACHINE = r"(?:node|machine|server|workstation|desktop|computer|box|host)(?:e?s)?"


class Spelling:
    """A way of writing that is given another, in capitals or not; the example shows both."""

    def __init__(
        self, pattern: str, becomes: str | Callable[[re.Match[str]], str], written: str, read: str
    ) -> None:
        """`becomes` is what `re.sub` takes, with the parts of what was found."""
        self.found, self.becomes = regex(pattern, re.I), becomes
        self.written, self.read = written, read


def left_out(pattern: str, written: str, read: str = "") -> Spelling:
    """What changes no answer, and would be taken for something else."""
    return Spelling(pattern, "", written, read)
