"""An amount of memory that cannot be mixed up with a plain number.

Bytes are added to bytes and multiplied by numbers; bytes over bytes are a ratio. Everything else
raises TypeError, so that a count of parameters can never be added to a size.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import total_ordering
from math import ceil
from typing import overload

from bot.base.fast_dataclass import dataclass

GIB_BYTES = 1 << 30


@total_ordering
@dataclass(frozen=True, slots=True)
class Bytes:
    """A number of bytes, never negative after `less`; whole, rounded up."""

    count: int

    @classmethod
    def of(cls, count: float) -> Bytes:
        """Whole bytes that hold `count`."""
        return cls(ceil(count))

    @classmethod
    def gib(cls, amount: float) -> Bytes:
        """From GiB (2**30 bytes)."""
        return cls(ceil(amount * GIB_BYTES))

    @property
    def in_gib(self) -> float:
        """As GiB (2**30 bytes)."""
        return self.count / GIB_BYTES

    @property
    def in_report(self) -> float:
        """As GiB with the two decimals that reports hold."""
        return round(self.in_gib, 2)

    @property
    def shown(self) -> str:
        """GiB with one decimal, rounded from what reports hold, so that all say the same."""
        return f"{self.in_report:.1f}"

    def __add__(self, other: Bytes) -> Bytes:
        return Bytes(self.count + other.count) if isinstance(other, Bytes) else NotImplemented

    def __sub__(self, other: Bytes) -> Bytes:
        return Bytes(self.count - other.count) if isinstance(other, Bytes) else NotImplemented

    def less(self, other: Bytes) -> Bytes:
        """What is left after `other`, at least nothing."""
        return Bytes(max(0, self.count - other.count))

    def __mul__(self, factor: float) -> Bytes:
        if isinstance(factor, bool) or not isinstance(factor, (int, float)):
            return NotImplemented
        return Bytes(ceil(self.count * factor))

    __rmul__ = __mul__

    @overload
    def __truediv__(self, other: Bytes) -> float: ...

    @overload
    def __truediv__(self, other: float) -> Bytes: ...

    def __truediv__(self, other: Bytes | float) -> Bytes | float:
        if isinstance(other, Bytes):
            return self.count / other.count
        if isinstance(other, bool) or not isinstance(other, (int, float)):
            return NotImplemented
        return Bytes(ceil(self.count / other))

    def __lt__(self, other: Bytes) -> bool:
        return self.count < other.count if isinstance(other, Bytes) else NotImplemented

    def __bool__(self) -> bool:
        return self.count != 0

    def __str__(self) -> str:
        return f"{self.shown} GiB"


NOTHING = Bytes(0)


def together(amounts: Iterable[Bytes]) -> Bytes:
    """The sum."""
    return Bytes(sum(amount.count for amount in amounts))
