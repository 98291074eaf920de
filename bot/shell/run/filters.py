"""Commands that turn text into text, in the uses that launch scripts have: seq, tr, wc."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest

from bot.base.regex import regex
from bot.shell.limits import NotEvaluated
from bot.shell.world.session import Session

_NUMBER = regex(r"-?[0-9]{1,18}")
_CLASSES = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9"}
_ESCAPED = {r"\n": "\n", r"\t": "\t", r"\\": "\\"}
_SET = regex(r"\\[nt\\]|[^\\\[]-[^\\\[]|[^\\\[]", re.DOTALL)


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise NotEvaluated
    return int(text)


def _seq(session: Session, words: Sequence[str], _stdin: str | None) -> str:
    """`seq [FIRST [STEP]] LAST` with integers."""
    numbers = [_number(word) for word in words]
    if not 1 <= len(numbers) <= 3:
        raise NotEvaluated
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) == 3 else 1
    last = numbers[-1]
    if step == 0:
        raise NotEvaluated
    session.spend_words(max(0, (last - first) // step + 1))
    values = range(first, last + (1 if step > 0 else -1), step)
    return "".join(f"{value}\n" for value in values)


def _tr(_session: Session, words: Sequence[str], stdin: str | None) -> str:
    """`tr SET1 SET2` and `tr -d SET`."""
    if stdin is None or len(words) != 2:
        raise NotEvaluated
    if words[0] == "-d":
        return stdin.translate(dict.fromkeys(map(ord, _characters(words[1]))))
    source, target = map(_characters, words)
    if re.match("-.", words[0]) or not target:
        raise NotEvaluated
    table: dict[int, str] = {}
    for one, two in zip_longest(source, target[: len(source)], fillvalue=target[-1]):
        # The last occurrence of a character counts.
        table[ord(one)] = two
    return stdin.translate(table)


def _characters(text: str) -> str:
    """The characters of a set of `tr`."""
    for name, characters in _CLASSES.items():
        text = text.replace(name, characters)
    items = _SET.findall(text)
    if "".join(items) != text or not text.isascii():
        raise NotEvaluated
    return "".join(_range(item) for item in items)


def _range(item: str) -> str:
    if len(item) < 3:
        return _ESCAPED.get(item, item)
    first, last = ord(item[0]), ord(item[2])
    if not first <= last <= first + 256:
        raise NotEvaluated
    return "".join(map(chr, range(first, last + 1)))


def _wc(_session: Session, words: Sequence[str], stdin: str | None) -> str:
    """`wc -l`."""
    if stdin is None or list(words) != ["-l"]:
        raise NotEvaluated
    return f"{stdin.count(chr(10))}\n"


FILTERS: dict[str, Callable[[Session, Sequence[str], str | None], str]] = {
    "seq": _seq,
    "tr": _tr,
    "wc": _wc,
}
