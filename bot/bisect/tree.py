"""The order of probes: which batch to run first, and which next by what became of it.

Of k candidates, smallest first, some number from 0 to k fits: k + 1 outcomes, that is at least
ceil(log2(k + 1)) runs in the worst case. No series here takes more. Where that leaves a choice, the
probes near the predicted outcome come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Node:
    """One run of a series."""

    index: int
    """The candidate that it tries."""
    depth: int
    """1 for the first run."""
    ran: Node | None
    """The next when the candidate fits; None when the outcome is known then."""
    failed: Node | None
    """The next when it ran out of memory."""

    def walk(self) -> Iterator[Node]:
        """The node and all that may follow, by depth, then by candidate."""
        level: list[Node] = [self]
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


def rounds(candidates: int, at_once: int) -> int:
    """Rounds of `at_once` runs beside each other that decide among so many candidates."""
    count, outcomes = 0, candidates + 1
    while outcomes > 1:
        # The largest part that a round leaves.
        outcomes = -(-outcomes // (at_once + 1))
        count += 1
    return count


def series(candidates: int, expected: int | None) -> Node | None:
    """The whole decision tree; `expected` is how many candidates are predicted to fit.

    None when there is no candidate. Its depth is `most_runs(candidates)`.
    """
    weights = [
        1.0 if expected is None else 1 / (1 + abs(outcome - expected))
        for outcome in range(candidates + 1)
    ]
    sums = [0.0, *accumulate(weights)]

    def between(low: int, high: int, depth: int) -> Node | None:
        """The tree when from `low` to `high` candidates fit, both included."""
        if low == high:
            return None
        half = 1 << ((high - low).bit_length() - 1)
        # Neither answer may leave more outcomes than the remaining runs can tell apart.
        splits = range(max(low, high - half), min(high - 1, low + half - 1) + 1)
        middle = (sums[low] + sums[high + 1]) / 2
        index = min(splits, key=lambda at: abs(sums[at + 1] - middle))
        return Node(
            index, depth, between(index + 1, high, depth + 1), between(low, index, depth + 1)
        )

    return between(0, candidates, 1)


def spread(candidates: int, at_once: int) -> tuple[int, ...]:
    """The candidates of one round of runs, which leave parts as equal as can be."""
    if at_once >= candidates:
        return tuple(range(candidates))
    outcomes = candidates + 1
    return tuple(outcomes * part // (at_once + 1) - 1 for part in range(1, at_once + 1))


def runs_to(root: Node | None, fitting: int) -> int:
    """Runs that the series takes when so many candidates fit."""
    count, node = 0, root
    while node is not None:
        count += 1
        node = node.ran if node.index < fitting else node.failed
    return count


def blind_runs(step: int, top: int, largest: int | None) -> int:
    """Runs in the worst case without a prediction, for a largest multiple of `step` up to `top`.

    With a `largest` one to try: bisection of all multiples up to it. Without one: doubling from
    the smallest until one fails, then bisection below it.
    """
    if largest is not None:
        return most_runs(max(largest, top) // step)
    doublings = (top // step).bit_length()
    return doublings + 1 + most_runs((1 << (doublings - 1)) - 1)
