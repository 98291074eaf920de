"""Typed facts read off settings, each with the place where its value was written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any, TypeVar

from bot.base.regex import regex
from bot.frameworks.plan import Field
from bot.frameworks.settings.setting import UNKNOWN, Setting
from bot.shell.source import Span

T = TypeVar("T")
_HOLE = regex(r"\$\{\?[^}]{0,500}\}")
_HOLDERS = {
    "path": r"(?<![\w.\-])/?path[/_]to[/_][\w.\-/]*",
    "you": r"(?<![A-Za-z])your?[_\-][A-Za-z][\w.\-]*",
    # What stands alone is a token of a tokenizer, as --pad_token takes it.
    "<": r"(?!<(?:unk|pad|s|bos|eos|mask|sep|cls)>['\"]?\Z)<[A-Za-z][\w \-/.]{0,40}>",
    "xxx": r"(?<![A-Za-z0-9])x{3,}(?![A-Za-z0-9])",
    "todo": r"(?<![A-Za-z0-9])TODO(?![A-Za-z0-9])",
    "fixme": r"(?<![A-Za-z0-9])FIXME(?![A-Za-z0-9])",
    "change": r"(?<![A-Za-z0-9])CHANGE_?ME(?![A-Za-z0-9])",
}
"""Placeholders by what a text with one holds, which is looked for first: nearly none has any."""
_HOLDER = regex("|".join(_HOLDERS.values()), re.IGNORECASE)
_MARKUP = regex(r"<(\w{1,40})>[^<]{0,2000}</\1>")
"""What a prompt asks an answer to have, as in <think> and </think>."""


class AppliedSettings:
    """What each key stands for once the settings are applied.

    `value` gives None where nothing is set and UNKNOWN where only a run decides.
    """

    def __init__(self, settings: Sequence[Setting], value: Callable[[str], Any]) -> None:
        self.value = value
        self._last: Mapping[str, Setting] = {s.key: s for s in settings if s.operator != "~"}

    def then(self, settings: Sequence[Setting]) -> AppliedSettings:
        """The same with more settings, which win."""
        more = {setting.key: setting.value for setting in settings}
        found = AppliedSettings(settings, lambda key: more[key] if key in more else self.value(key))
        found._last = {**self._last, **found._last}
        return found

    def setting(self, key: str) -> Setting | None:
        """The last setting of `key`, if the script has one."""
        return self._last.get(key)

    def span(self, key: str) -> Span | None:
        """Where the value of that setting was written."""
        setting = self._last.get(key)
        return setting.value_span if setting else None

    def field(self, key: str, convert: Callable[[Any], T | None]) -> Field[T]:
        """The fact at `key`, its value None when it is unknown or not of the right type."""
        value = self.value(key)
        span = self.span(key)
        converted = None if value is None or value is UNKNOWN else convert(value)
        default = span is None and converted is not None
        return Field(converted, span=span, key=key, default=default)

    def first(self, keys: Sequence[str], convert: Callable[[Any], T | None]) -> Field[T]:
        """The fact at the first key that the script sets, else at the first that has a default."""
        for key in keys:
            if key in self._last:
                return self.field(key, convert)
        found = [self.field(key, convert) for key in keys]
        return next((field for field in found if field), found[0])

    def integer(self, *keys: str) -> Field[int]:
        """A whole number."""
        return self.first(keys, whole)

    def text(self, *keys: str) -> Field[str]:
        """A string."""
        return self.first(keys, string)

    def lower(self, *keys: str) -> Field[str]:
        """A string in lower case."""
        return self.first(keys, lambda value: string(value) and str(value).lower())

    def on(self, key: str) -> bool:
        """Whether a switch is on for sure."""
        return self.value(key) is True

    def path(self, *keys: str) -> Field[str]:
        """A path or hub name.

        When only folders before its last part are unknown the path is given with them written as
        `${?reason}`, since the last part is what names a model; else None.
        """
        found = self.text(*keys)
        setting = self._last.get(found.key) if found.key else None
        if found or setting is None:
            return found
        last = setting.text.rstrip("/'\"").rsplit("/", 1)
        if setting.known or len(last) < 2 or "${?" in last[1] or "}" in last[1]:
            return found
        return Field(setting.text.strip("'\""), span=found.span, key=found.key)


@lru_cache(maxsize=1024)
def placeholder(text: str) -> str:
    """What someone is to replace in a value, such as /path/to/model; "" where nothing is."""
    lowered = text.lower()
    if "{%" in text or not any(sign in lowered for sign in _HOLDERS):
        return ""  # The tags of a chat template are the model's own.
    found = _HOLDER.search(_MARKUP.sub("", _HOLE.sub("", text)))
    if found is None or found[0] in text:
        return found[0] if found else ""
    # An unknown part is in it: what stands before that is where it is written.
    starts = (found[0][:end] for end in range(len(found[0]) - 1, 0, -1))
    return next((one for one in starts if one in text and _HOLDER.match(one)), found[0])


def whole(value: object) -> int | None:
    """An int that is no bool."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def string(value: object) -> str | None:
    """A non-empty string that is no unfilled placeholder."""
    return value if isinstance(value, str) and value and value != "???" else None


def product(*fields: Field[int]) -> Field[int]:
    """The product of numbers; unknown when one is. Its place is that of the first one written."""
    return _combined(fields, prod)


def total(*fields: Field[int]) -> Field[int]:
    """The sum of numbers; unknown when one is. Its place is that of the first one written."""
    return _combined(fields, sum)


def _combined(fields: Sequence[Field[int]], combine: Callable[[list[int]], int]) -> Field[int]:
    where = next((field for field in fields if field.span is not None), fields[0])
    known = [field.value for field in fields if field.value is not None]
    complete = len(known) == len(fields)
    return Field(
        combine(known) if complete else None,
        span=where.span,
        key=where.key,
        default=complete and all(field.default for field in fields),
    )
