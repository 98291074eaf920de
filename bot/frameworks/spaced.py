"""Settings with blanks around their `=`, which arrive as several words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.base.messages import message
from bot.base.regex import regex
from bot.frameworks.setting import BadArgument
from bot.shell.source import Span
from bot.shell.words import Word

_KEY: Final = regex(r"(?:\+\+?)?[A-Za-z_]\w*(?:\.\w+)+")


def spaced(words: Sequence[Word]) -> tuple[BadArgument, int] | None:
    """A setting with blanks around its `=`, with the number of words that follow its first."""
    if not words[0].text.endswith("=") and not any(w.text.startswith("=") for w in words[1:2]):
        return None
    texts = [word.text for word in words]
    first = texts[0].removesuffix("=")
    if not all(word.complete for word in words) or not _KEY.fullmatch(first):
        return None
    if texts[0] != first:  # key= value
        # A word that begins with a blank stands behind a backslash that should end the line.
        if len(texts) == 1 or "=" in texts[1] or texts[1][:1] in ("-", "+", "~", " ", "\t"):
            return None
        parts = texts[:2]
    elif len(texts) > 1 and texts[1] == "=":  # key = value
        parts = texts[:3]
    elif len(texts) > 1 and texts[1].startswith("="):  # key =value
        parts = texts[:2]
    else:
        return None
    last = words[len(parts) - 1]
    # In an array the words stand elsewhere than the launch.
    start, end = words[0].span_of(0, len(first)).start, last.span_of(0, len(last.text)).end
    span = Span(start, end) if start < end else Span(words[0].span.start, last.span.end)
    problem = message("blanks stand around the = of {key}", key=first)
    return BadArgument(words[0], span, problem, "".join(parts)), len(parts) - 1
