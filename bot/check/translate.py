"""A report in another language: every sentence in it is translated.

What has no translation stays English. Names that programs read (claims, checks, settings) are no
messages and stay; renderers show them in their own words.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from bot.base.messages import Language, Message, translated

T = TypeVar("T")


def in_language(report: T, language: Language, *, before: Language = "en") -> T:
    """The report, or a part of one, with its messages in `language`; they are in `before`."""
    return report if language == before else cast("T", _walked(report, language))


def _walked(value: Any, language: Language) -> Any:
    if isinstance(value, Message):
        return translated(value, language)
    if isinstance(value, tuple):
        return tuple(_walked(each, language) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {
            field.name: _walked(getattr(value, field.name), language)
            for field in fields(value)
            if field.init
        }
        return replace(value, **changed)
    return value
