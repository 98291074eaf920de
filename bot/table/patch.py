"""The unified diff of a page, in the form that `git apply` takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

_CONTEXT = 3
_Stretch: TypeAlias = tuple[str, int, int, int, int]
"""equal, replace, delete or insert, with the lines of the old and of the new page."""


def unified_diff(path: str, before: str, after: str) -> str:
    r"""The change of a page as a patch; empty when nothing changes.

    Lines end at `\n` alone, as in git: the `\r` of a page with CRLF is part of its lines, and
    a last line without an end is marked as git marks it.
    """
    if before == after:
        return ""
    old, new = _lines(before), _lines(after)
    shorter = min(len(old), len(new))
    top = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    rest = shorter - top
    bottom = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    old_end, new_end = len(old) - bottom, len(new) - bottom

    # Matched only between the outermost changes, so that equal tables further down stay apart.
    matcher = SequenceMatcher(None, old[top:old_end], new[top:new_end], autojunk=False)
    above, below = min(_CONTEXT, top), min(_CONTEXT, bottom)
    stretches = [
        ("equal", top - above, top, top - above, top),
        *((kind, top + a, top + b, top + c, top + d) for kind, a, b, c, d in matcher.get_opcodes()),
        ("equal", old_end, old_end + below, new_end, new_end + below),
    ]
    hunks = "".join(_hunk(group, old, new) for group in _groups(stretches))

    # git ends a name with a tab when it holds a space.
    tail = "\t" if " " in path else ""
    return f"--- a/{path}{tail}\n+++ b/{path}{tail}\n{hunks}"


def _groups(stretches: Sequence[_Stretch]) -> Iterator[list[_Stretch]]:
    """Stretches of one hunk each: equal lines that are longer than two contexts divide them."""
    group: list[_Stretch] = []
    for kind, a, b, c, d in stretches:
        if kind == "equal" and b - a > 2 * _CONTEXT:
            yield [*group, (kind, a, a + _CONTEXT, c, c + _CONTEXT)]
            group = [(kind, b - _CONTEXT, b, d - _CONTEXT, d)]
        else:
            group.append((kind, a, b, c, d))
    yield group


def _hunk(group: Sequence[_Stretch], old: Sequence[str], new: Sequence[str]) -> str:
    body: list[str] = []
    for kind, a, b, c, d in group:
        if kind == "equal":
            body += [" " + line for line in old[a:b]]
        else:
            body += ["-" + line for line in old[a:b]]
            body += ["+" + line for line in new[c:d]]
    ranges = _range(group[0][1], group[-1][2]), _range(group[0][3], group[-1][4])
    return f"@@ -{ranges[0]} +{ranges[1]} @@\n" + "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in body
    )


def _range(start: int, end: int) -> str:
    """First line, from 1, and number of lines; an empty range names the line before it."""
    count = end - start
    return f"{start + bool(count)},{count}"


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]+\n?|\n", text)
