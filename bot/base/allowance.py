"""A shared limit for expensive work during the reading of one script."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Allowance:
    """An amount that is granted for a block of code; outside of one, nothing is bounded."""

    def __init__(self, name: str) -> None:
        self._left: ContextVar[list[int] | None] = ContextVar(name, default=None)

    @contextmanager
    def granted(self, amount: int) -> Iterator[None]:
        """Grants so much within the block, whatever was left outside of it."""
        token = self._left.set([amount])
        try:
            yield
        finally:
            self._left.reset(token)

    def takes(self, amount: int) -> bool:
        """Whether so much was left; it is taken in either case."""
        left = self._left.get()
        if left is None:
            return True
        left[0] -= amount
        return left[0] >= 0
