"""RLB005: characters that a reader cannot see, or that change the order of what is seen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from bot.rules._example import verl
from bot.rules.base import Case, Example, Hit, Meta, TextEdit
from bot.shell.source import Span

META = Meta(
    id="RLB005",
    slug="invisible-characters",
    severity="warning",
    confidence="certain",
    added_in="0.1.0",
    summary="The script holds characters that are invisible or reorder the text around them.",
    why=(
        "What a reviewer sees is then not what bash reads. A no-break space, which comes with text "
        "copied from a page, joins two words into one."
    ),
    instead="Remove the character; write a plain space for a no-break space.",
    limits="A byte-order mark at the very start of the file is left to the rule syntax.",
    source="https://www.unicode.org/reports/tr9/ and https://trojansource.codes/",
    example=Example(
        bad=verl("trainer.nnodes=1\u200b"),
        good=verl("trainer.nnodes=1"),
    ),
)

# Bidirectional controls; zero-width characters and joiners; soft hyphen; no-break and odd spaces.
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_UNSEEN = re.compile(
    f"[{_BIDI}]|[{_SPACES}]|[\u00ad\u200b-\u200d\u2060-\u2064\ufeff]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_SPACE = re.compile(f"[{_SPACES}]")


def check(case: Case) -> Iterator[Hit]:
    """Each such character, with its name."""
    for found in _UNSEEN.finditer(case.source.text):
        if found.start() == 0 and found[0] == "\ufeff":
            continue
        space = bool(_SPACE.match(found[0]))
        span = Span(found.start(), found.end())
        name = unicodedata.name(found[0], "CONTROL CHARACTER").lower()
        yield Hit(
            message=f"the invisible character U+{ord(found[0]):04X} ({name}) stands here",
            span=span,
            help="write a plain space" if space else "remove it",
            fix_title="write a plain space" if space else "remove the character",
            edits=(TextEdit(span=span, text=" " if space else ""),),
        )
