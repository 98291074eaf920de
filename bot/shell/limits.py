"""Bounds on what one reading may cost: reaching one is an answer, never a crash or a hang."""

from __future__ import annotations

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.shell.source import Span
from bot.shell.words import Problem


@dataclass(frozen=True, slots=True)
class ShellLimits:
    """What one reading may use; a bound that is reached becomes a `Problem` of kind limit."""

    bytes: int = 1 << 20
    """Size of the file, and of all other files of its tree that it reads, together."""
    files: int = 100
    """Other files of its tree that it reads, each counted once."""
    depth: int = 40
    """Constructs, substitutions and function calls inside each other."""
    parts: int = 40_000
    """Words, parts of words and comments in the text."""
    commands: int = 2_000
    """Commands that the reading lists."""
    arguments: int = 2_000
    """Words of one command that the reading lists."""
    listed: int = 10_000
    """Words of all commands that it lists."""
    words: int = 20_000
    """Words that one expansion may give."""
    expansion: int = 1 << 20
    """Characters of one expanded value."""
    expansions: int = 1 << 23
    """Characters of all expanded values together, a little extra counted for each piece."""
    variables: int = 20_000
    """Variables and array elements set at a time."""
    iterations: int = 5_000
    """Rounds of one loop."""
    steps: int = 20_000
    """Commands and loop rounds carried out, over all worlds."""
    seconds: int = 4
    """Processor time; the other bounds are reached long before it, but for what they forget."""
    worlds: int = 16
    """Ways through the script kept apart, where a condition cannot be decided; of more the values
    that differ are unknown."""


class LimitReached(Exception):  # noqa: N818 - a signal inside the reader, not an error of the user
    """A bound was reached in a stretch of the text."""

    def __init__(self, bound: str, limits: ShellLimits, span: Span) -> None:
        super().__init__(bound)
        self.bound = bound
        self._bound = f"{bound}={getattr(limits, bound)}"
        self._span = span

    def problem(self, consequence: str) -> Problem:
        """What comes of it, and which bound it is."""
        why = message(
            "{consequence}: the bound {bound} of the reader is reached",
            consequence=consequence,
            bound=self._bound,
        )
        return Problem("limit", why, self._span)


class NotEvaluated(Exception):  # noqa: N818 - a signal inside the reader, not an error of the user
    """Something that is valid and that the reader does not evaluate: its result is unknown."""
