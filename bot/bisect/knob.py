"""The value that is varied: the numbers that hold it, and the script with another one."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Sequence
from math import gcd, lcm

from bot.base.fast_dataclass import dataclass
from bot.shell.source import Span


@dataclass(frozen=True, slots=True)
class KnobPart:
    """One number of the script that is varied."""

    name: str
    """The setting's key, or the variable."""
    value: int
    span: Span
    key: str | None
    """The key, when the number is a setting's own; None for a variable."""


@dataclass(frozen=True, slots=True)
class Knob:
    """The numbers that are varied together; the first is the batch, the others keep their share."""

    parts: tuple[KnobPart, ...]
    batch_key: str
    """The setting that the page calls MaxBatch."""

    @property
    def name(self) -> str:
        """What the value is called in the script."""
        return self.parts[0].name

    @property
    def value(self) -> int:
        """The value in the script as it is."""
        return self.parts[0].value

    @property
    def unit(self) -> int:
        """Of its multiples alone the others' shares are whole numbers."""
        return lcm(*(self.value // gcd(self.value, part.value) for part in self.parts))

    def values(self, value: int) -> tuple[int, ...] | None:
        """The numbers to write for a value; None when one would not be whole."""
        if value < 1 or any(part.value * value % self.value for part in self.parts):
            return None
        return tuple(part.value * value // self.value for part in self.parts)

    def edits(self, value: int) -> list[tuple[Span, str]]:
        """What to write where, in the script's order; raises ValueError for no whole number."""
        values = self.values(value)
        if values is None:
            raise ValueError(value)
        pairs = zip(self.parts, values, strict=True)
        edits = {(part.span.start, part.span.end): str(number) for part, number in pairs}
        return [(Span(*place), text) for place, text in sorted(edits.items())]

    def write(self, data: bytes, value: int) -> bytes:
        """The script with the value in its place, and every other byte as it was."""
        return edited(data, self.edits(value))


def edited(data: bytes, edits: Sequence[tuple[Span, str]]) -> bytes:
    """The script with each stretch replaced; they lie apart, in order."""
    bom = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
    text = data.removeprefix(BOM_UTF8).decode("utf-8")
    parts, at = [], 0
    for span, new in edits:
        parts += [text[at : span.start], new]
        at = span.end
    return bom + "".join([*parts, text[at:]]).encode("utf-8")
