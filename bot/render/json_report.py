r"""A report, and what else a command answers, as JSON, in the order of the model's fields."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass

from bot.base.regex import regex

_SURROGATE = regex("[\ud800-\udfff]")
# JSON has no such numbers; where the schema wants a number they become null.
_NUMBERS = frozenset({"peak_gib", "device_gib"})


def to_json(content: object) -> str:
    r"""Dataclasses and plain values as indented JSON with a line end.

    A number that JSON cannot hold becomes the string `NaN`, `Infinity` or `-Infinity`, and null
    where the schema allows no string. A lone surrogate, as in a path that is not UTF-8, is written
    as `\udcff`, so that the text can always be encoded.
    """
    text = json.dumps(_plain(content), indent=2, ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", text) + "\n"


def _plain(value: object, name: str = "") -> object:
    """As `asdict`, which copies each text and mapping, with numbers that JSON can hold."""
    if isinstance(value, float) and not math.isfinite(value):
        if name in _NUMBERS:
            return None
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: _plain(item, key) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name), one.name) for one in fields(value)}
    return value
