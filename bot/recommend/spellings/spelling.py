"""One way of writing, and the one that it is given."""

from __future__ import annotations

import re
from typing import NamedTuple

NUMBER = r"\d{1,8}"
UNIT = "[km]?"
MACHINE = r"(?:node|machine|server|workstation|desktop|computer|pc|box|host)(?:e?s)?"


class Spelling(NamedTuple):
    """A way of writing that is given another; the example shows both."""

    found: re.Pattern[str]
    becomes: str
    """As `re.sub` has it: \\1 is a part of what was found."""
    written: str
    read: str
