"""The language that a renderer speaks while it renders.

A renderer sets it once, with `speaking`; every sentence of its own goes through `tr`, which makes
it from an English template or that template's translation. What a report already holds (findings,
claims, reasons) was said by the check, in the same language.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from bot.base.messages import Form, Language, Plural, filled, translation
from bot.render.words import WORDS

_language: ContextVar[Language] = ContextVar("language", default="en")


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Within it, `tr` speaks this language."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def current() -> Language:
    """The language that is spoken now."""
    return _language.get()


def tr(template: str, /, **values: object) -> str:
    """The sentence of an English template in the language spoken now; English without one."""
    language = _language.get()
    return filled(translation(template, language), values, language)


def tr_plural(one: str, many: str, count: int, /, **values: object) -> str:
    """As `tr`, of the template for a count, which may name it as `{count}`."""
    language = _language.get()
    return filled(Form(one, many, count).template(language), {"count": count} | values, language)


def word(text: str) -> str:
    """A word of a report's own values (`bot.render.words`) in the language spoken now."""
    return translation(text, _language.get()) if text in WORDS else text


def counted(number: int, noun: Plural) -> str:
    """`1 error`, `2 errors`."""
    return tr_plural(*noun, number, count=f"{number:,}")
