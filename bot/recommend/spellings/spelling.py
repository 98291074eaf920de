"""One way of writing, and the one that it is given."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

NUMBER = r"\d{1,8}"
UNIT = "[km]?"
MACHINE = r"(?:node|machine|server|workstation|desktop|computer|box|host)(?:e?s)?"


class Spelling(NamedTuple):
    """A way of writing that is given another; the example shows both."""

    found: re.Pattern[str]
    becomes: str | Callable[[re.Match[str]], str]
    """As `re.sub` has it: \\1 is a part of what was found."""
    written: str
    read: str
