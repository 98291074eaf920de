"""The regular expressions of `=~`, where they mean the same to Python and cannot take long."""

from __future__ import annotations

import re
from collections.abc import Sequence

_UNBOUNDED = re.compile(r"[*+]|\{[0-9]*,[0-9]*\}")
_NESTED = re.compile(r"[*+}?]\)+[*+{?]")
_CLASSES = {
    "[:digit:]": "0-9",
    "[:alpha:]": "a-zA-Z",
    "[:alnum:]": "a-zA-Z0-9",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:space:]": " \\t\\n\\r\\v\\f",
    "[:blank:]": " \\t",
    "[:xdigit:]": "0-9A-Fa-f",
}
_MAX_WORK = 200_000


def search(symbols: Sequence[tuple[str, bool]], text: str) -> tuple[bool, list[str] | None] | None:
    """Whether there is a match, and it with its groups; None when that is not evaluated.

    Quoted characters stand for themselves. Repetitions inside repetitions are left alone, since
    they can take exponential time. With alternatives inside groups there are no groups in the
    answer: POSIX prefers the longest match where Python prefers the first.
    """
    source = _translate(symbols)
    if source is None:
        return None
    unbounded = len(_UNBOUNDED.findall(source))
    if _NESTED.search(source) or (len(text) + 1) ** (unbounded + 1) > _MAX_WORK:
        return None
    try:
        found = re.search(source, text)
    except (re.error, OverflowError, RecursionError):
        return None
    if found is None:
        return False, []
    groups = [found.group(0), *(group or "" for group in found.groups())]
    if "|" in source and len(groups) > 1 and not re.fullmatch(r"\^.*\$", source, re.DOTALL):
        return True, None
    return True, groups


def _translate(symbols: Sequence[tuple[str, bool]]) -> str | None:
    result: list[str] = []
    at = 0
    while at < len(symbols):
        character, quoted = symbols[at]
        at += 1
        if quoted:
            result.append(re.escape(character))
        elif character == "[":
            close = _bracket(symbols, at)
            if close < 0:
                return None
            inner = "".join(c for c, _ in symbols[at:close])
            result.append(_class(inner))
            at = close + 1
        elif character == "\\":
            if at >= len(symbols):
                return None
            following = symbols[at][0]
            if following.isalnum():
                return None
            result.append(re.escape(following))
            at += 1
        elif character == "$":
            result.append("\\Z")
        elif character == "." or character in "^*+?{}()|":
            if character in "+?" and result and result[-1] in "*+?}":
                return None
            result.append(character if character != "." else "(?s:.)")
            if character == "(" and at < len(symbols) and symbols[at] == ("?", False):
                return None
        else:
            result.append(re.escape(character))
    return "".join(result)


def _bracket(symbols: Sequence[tuple[str, bool]], start: int) -> int:
    at = start
    if at < len(symbols) and symbols[at][0] == "^":
        at += 1
    if at < len(symbols) and symbols[at][0] == "]":
        at += 1
    while at < len(symbols):
        if symbols[at][0] == "[" and at + 1 < len(symbols) and symbols[at + 1][0] == ":":
            rest = "".join(c for c, _ in symbols[at:])
            close = rest.find(":]")
            if close < 0:
                return -1
            at += close + 2
            continue
        if symbols[at][0] == "]":
            return at
        at += 1
    return -1


def _class(inner: str) -> str:
    negated = inner.startswith("^")
    body = inner[1:] if negated else inner
    for name, meaning in _CLASSES.items():
        body = body.replace(name, "\0" + meaning + "\1")
    parts: list[str] = []
    for index, piece in enumerate(re.split("[\0\1]", body)):
        if index % 2:
            parts.append(piece)
        else:
            parts.append(re.sub(r"([\\\[\]^&~|])", r"\\\1", piece))
    return "[" + ("^" if negated else "") + "".join(parts) + "]"
