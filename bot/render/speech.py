"""The language that a renderer speaks while it renders.

A renderer sets it once, with `speaking`; every sentence of its own goes through `tr`, which makes
it from an English template or that template's translation. What a report already holds (findings,
claims, reasons) was said by the check, in the same language.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from bot.base.messages import Language

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


def word(text: str) -> str:
    """A word of a report's own values in the language spoken now, where it has a translation."""
    if _language.get() == "zh":
        from bot.render.chinese import SENTENCES

        return SENTENCES.get(text, text)
    return text


def tr(template: str, /, **values: object) -> str:
    """The sentence of an English template in the language spoken now.

    Raises KeyError for a template that has no translation: the renderers' own sentences are all
    translated, and a test holds it.
    """
    if _language.get() == "zh":
        from bot.render.chinese import SENTENCES

        template = SENTENCES[template]
    return template.format_map(values)
