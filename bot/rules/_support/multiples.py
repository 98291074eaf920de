"""The sizes that a framework can divide, found without trying one after another."""

from __future__ import annotations

from math import gcd


def step(factor: int, divisor: int) -> int:
    """The least b > 0 for which b × `factor` is a multiple of `divisor`; neither is 0."""
    return abs(divisor) // gcd(factor, divisor)


def at_least(value: int, step: int) -> int:
    """The least multiple of `step` that is positive and not below `value`."""
    return max(1, -(-value // step)) * step


def below(value: int, step: int) -> int | None:
    """The greatest multiple of `step` below `value`; `None` where none is positive."""
    return (value - 1) // step * step if value > step else None
