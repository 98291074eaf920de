r"""The report as JSON: `report-v1`, in the order of the model's fields."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

from bot.base.regex import regex
from bot.report import Report

_SURROGATE = regex("[\ud800-\udfff]")
# JSON has no such numbers; where the schema wants a number they become null.
_NUMBERS = frozenset({"peak_gib", "device_gib"})


def to_json(report: Report) -> str:
    r"""`report` as indented JSON with a line end.

    A number that JSON cannot hold becomes the string `NaN`, `Infinity` or `-Infinity`, and null
    where the schema allows no string. A lone surrogate, as in a path that is not UTF-8, is written
    as `\udcff`, so that the text can always be encoded.
    """
    return dump(asdict(report))


def dump(content: object) -> str:
    """Content as indented JSON with a line end, its numbers and surrogates as `to_json` says."""
    text = json.dumps(_finite(content), indent=2, ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", text) + "\n"


def _finite(value: object, name: str = "") -> object:
    if isinstance(value, float) and not math.isfinite(value):
        if name in _NUMBERS:
            return None
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: _finite(item, key) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
