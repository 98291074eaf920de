"""A text that must not be printed: tokens, keys, webhook secrets."""

from __future__ import annotations


class Secret:
    """Holds a secret; every way to print it gives `***`, and it cannot be pickled by mistake."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text, for the one place that needs it."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return "***"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format("***", spec)

    def __reduce__(self) -> str:
        raise TypeError("a secret is not stored")
