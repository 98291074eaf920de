"""The search: bisection between two ends, and doubling while there is no upper end.

Of k candidates, smallest first, some number from 0 to k fits: k + 1 outcomes, that is
ceil(log2(k + 1)) runs in the worst case. No series takes more. Within that bound each run is as
near to the predicted outcome as it can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bot.base.fast_dataclass import dataclass

DOUBLINGS = 7
"""Runs that a doubling plans ahead."""
_NEAR = 64
"""How far above a doubled value the next one that may be tried is looked for."""


@dataclass(frozen=True, slots=True)
class SearchNode:
    """One run of a series."""

    index: int
    """The candidate that it tries."""
    depth: int
    """1 for the first run."""
    ran: SearchNode | None
    """The next when the candidate fits; None when nothing is left to try then."""
    failed: SearchNode | None
    """The next when it ran out of memory."""

    def walk(self) -> Iterator[SearchNode]:
        """The node and all that may follow, by depth, then by candidate."""
        level: list[SearchNode] = [self]
        while level:
            yield from level
            level = [
                after
                for node in level
                for after in (node.failed, node.ran)  # Smaller candidates first.
                if after is not None
            ]


def most_runs(candidates: int) -> int:
    """Runs that decide among so many candidates in the worst case: ceil(log2(candidates + 1))."""
    return candidates.bit_length()


def bisection(
    low: int, high: int, expected: int | None = None, depth: int = 1
) -> SearchNode | None:
    """Every run that may come when the candidates from `low` up to, not including, `high` are open.

    `expected` is the largest candidate that is predicted to fit. None when no candidate is open;
    else the depth of the tree is `most_runs(high - low)`.
    """
    if low == high:
        return None
    # What either answer leaves must be decidable with one run less.
    most = (1 << (most_runs(high - low) - 1)) - 1
    near = (low + high) // 2 if expected is None else expected
    index = min(max(near, low, high - 1 - most), low + most, high - 1)
    return SearchNode(
        index,
        depth,
        bisection(index + 1, high, expected, depth + 1),
        bisection(low, index, expected, depth + 1),
    )


def doubling(count: int, depth: int = 1) -> SearchNode | None:
    """One candidate after the other, upwards; the first failure leaves a gap to be bisected."""
    return (
        SearchNode(depth - 1, depth, doubling(count, depth + 1), None) if depth <= count else None
    )


def doubled(start: int, most: int, valid: Callable[[int], bool]) -> tuple[int, ...]:
    """The values of a doubling up to `most`: each the first valid one from twice the last on."""
    values: dict[int, None] = {}
    for power in range(DOUBLINGS):
        least = start << power
        near = range(least, min(least + least // 2, least + _NEAR, most) + 1)
        value = next(filter(valid, near), None)
        if value is not None:
            values[value] = None
    return tuple(values)


def runs_to(root: SearchNode | None, fitting: int) -> int:
    """Runs that the series takes when so many candidates fit."""
    count, node = 0, root
    while node is not None:
        count += 1
        node = node.ran if node.index < fitting else node.failed
    return count
