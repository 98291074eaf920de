"""The unified diff of a page, in the form that `git apply` takes."""

from __future__ import annotations

import re

_CONTEXT = 3


def unified_diff(path: str, before: str, after: str) -> str:
    r"""The change of a page as a patch of one hunk; empty when nothing changes.

    Made for a change in one place: everything between its first and its last changed line is in the
    hunk. Lines end at `\n` alone, as in git: the `\r` of a page with CRLF is part of its lines, and
    a last line without an end is marked as git marks it.
    """
    from difflib import SequenceMatcher

    if before == after:
        return ""
    old, new = _lines(before), _lines(after)
    shorter = min(len(old), len(new))
    top = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    rest = shorter - top
    bottom = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    old_end, new_end = len(old) - bottom, len(new) - bottom

    start = max(0, top - _CONTEXT)
    body = [" " + line for line in old[start:top]]
    # Matched only between the outermost changes, so that equal tables further down stay apart.
    matcher = SequenceMatcher(None, old[top:old_end], new[top:new_end], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            body += [" " + line for line in old[top + a : top + b]]
        else:
            body += ["-" + line for line in old[top + a : top + b]]
            body += ["+" + line for line in new[top + c : top + d]]
    body += [" " + line for line in old[old_end : old_end + _CONTEXT]]

    # git ends a name with a tab when it holds a space.
    tail = "\t" if " " in path else ""
    below = min(_CONTEXT, bottom)
    ranges = _range(start, old_end + below), _range(start, new_end + below)
    head = f"--- a/{path}{tail}\n+++ b/{path}{tail}\n@@ -{ranges[0]} +{ranges[1]} @@\n"
    return head + "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in body
    )


def _range(start: int, end: int) -> str:
    """First line, from 1, and number of lines; an empty range names the line before it."""
    count = end - start
    return f"{start + bool(count)},{count}"


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)
