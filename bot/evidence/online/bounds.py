"""Bounds of reading one run online: a bound that is hit is a sentence, never a silent cut."""

from __future__ import annotations

from collections.abc import Callable

from bot.base.fast_dataclass import dataclass
from bot.evidence.facts import Facts
from bot.evidence.online.failure import ReadStage

Tell = Callable[[ReadStage, int, "int | None"], None]
"""Told of progress: stage, done, of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How long a reading may take, and how much it may fetch."""

    stall_seconds: float = 30.0
    """Time without any progress after which the reading is ended."""
    retry_seconds: float = 1.0
    """Pause before a request that failed is tried again; doubled for each further time."""
    seconds: float = 300.0
    """Time after which no more of the history is asked for."""
    rows: int = 5_000_000
    """Rows of the history."""
    bytes: int = 2 << 30
    """Bytes that the SDK's service receives (measured where the system has /proc)."""
    memory_bytes: int = 3 << 29
    """Private memory of the reading process, and of the SDK's service, each."""
    page_steps: int = 20_000
    """Steps of the history that are asked for at once: fewer requests against less memory."""
    careful_page_steps: int = 1_000
    """The SDK's own page, for a second reading when a server gave fewer rows than it counts."""
    pages: int = 2_000
    """Pages of one scan."""
    samples: int = 200_000
    """Samples of the system stream."""
    samples_bytes: int = 128 << 20
    """Bytes of the system stream, which comes in one answer; beyond that it is thinned out."""
    console_lines: int = 200_000
    """Lines of the console that are searched from the beginning."""
    console_tail: int = 10_000
    """Lines at the end of a longer console that are searched besides."""
    file_bytes: int = 32 << 20
    """Bytes of each file of the run (metadata, requirements, configuration)."""
    siblings: int = 100
    """Other runs of the project that are listed; with 0 they are not asked for."""
    sibling_consoles: int = 12
    """Siblings whose last console lines are searched."""
    sibling_lines: int = 500
    """Last console lines of a sibling that are searched."""
    answer_bytes: int = 32 << 20
    """Bytes that the reading process may hand back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """The bounds of one reading, and who is told how it goes."""

    bounds: Bounds
    tell: Tell
    spent: Callable[[], str | None]
    """The bound of the whole reading that is used up, in words, if one is."""
    keep: Callable[[Facts], None]
    """Handed the facts of the run before its siblings are looked at."""
