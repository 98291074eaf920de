"""Values that someone is to fill in before a script can run."""

from __future__ import annotations

import re
from functools import lru_cache

from bot.base.regex import regex

_HOLE = regex(r"\$\{\?[^}]{0,500}\}")
_HOLDERS = {
    "path": r"(?<![\w.\-])/?path[/_]to[/_][\w.\-/]*",
    "you": r"(?<![A-Za-z])your?[_\-][A-Za-z][\w.\-]*",
    "<": r"<[A-Za-z][\w \-/.]{0,40}>",
    "xxx": r"(?<![A-Za-z0-9])x{3,}(?![A-Za-z0-9])",
    "todo": r"(?<![A-Za-z0-9])TODO(?![A-Za-z0-9])",
    "fixme": r"(?<![A-Za-z0-9])FIXME(?![A-Za-z0-9])",
    "change": r"(?<![A-Za-z0-9])CHANGE_?ME(?![A-Za-z0-9])",
}
"""Placeholders by what a text with one holds, which is looked for first: nearly none has any."""
_HOLDER = regex("|".join(_HOLDERS.values()), re.IGNORECASE)
_MARKUP = regex(r"<(\w{1,40})>[^<]{0,2000}</\1>")
"""What a prompt asks an answer to have, as in <think> and </think>."""


@lru_cache(maxsize=1024)
def placeholder(text: str) -> str:
    """What someone is to replace in a value, such as /path/to/model; "" where nothing is."""
    lowered = text.lower()
    if not any(sign in lowered for sign in _HOLDERS):
        return ""
    found = _HOLDER.search(_MARKUP.sub("", _HOLE.sub("", text)))
    return found[0] if found else ""
