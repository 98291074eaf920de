"""The choices of one run of a command in a subshell that has several possible outcomes."""

from __future__ import annotations


class Choices:
    """The choices of one run of a command, in the order in which they come up."""

    def __init__(self, taken: tuple[int, ...] = ()) -> None:
        """Takes the first choices; from there on the first outcome is chosen."""
        self._taken = taken
        self._sizes: list[int] = []

    def choose(self, size: int) -> int:
        """Which of `size` outcomes this run goes on with."""
        at = len(self._sizes)
        self._sizes.append(size)
        return self._taken[at] if at < len(self._taken) else 0

    def others(self) -> list[tuple[int, ...]]:
        """The first choices of each further run that this one has shown to be possible."""
        start = len(self._taken)
        return [
            (*self._taken, *(0,) * (at - start), other)
            for at in range(start, len(self._sizes))
            for other in range(1, self._sizes[at])
        ]
