"""What is wrong with a script or a page, where, and the way out."""

from __future__ import annotations

from bot.base.fast_dataclass import dataclass
from bot.report.base import ReportPart, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit(ReportPart):
    """A replacement of a stretch of a file; lines and columns start at 1, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    """What stands there afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix(ReportPart):
    """A change that would settle a finding."""

    title: str
    """The change in words, starting with a verb: "use nproc_per_gpu=44"."""
    safe: bool
    """True when the change cannot alter what a correct script does."""
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenIn(ReportPart):
    """A line of a file that a script sources or starts."""

    path: str
    """From the root of the tree that the script stands in."""
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InCell(ReportPart):
    """A stretch of a notebook's cell."""

    number: int
    """Of the cell among all of the notebook, from 1."""
    line: int
    """First line in the cell, from 1."""
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(ReportPart):
    """One thing that is wrong or could be better, with its place and the way out."""

    id: str
    """Stable identifier of the rule, such as RLB012."""
    slug: str
    """Readable name of the rule, such as unknown-key."""
    severity: Severity
    message: str
    path: str
    line: int
    """First line, from 1."""
    column: int
    """First column, from 1, counted in characters."""
    end_line: int
    end_column: int
    """Column after the last character."""
    help: str | None = None
    """What to do next."""
    url: str | None = None
    """Where the rule is documented."""
    fix: Fix | None = None
    rename: str | None = None
    """The path that the script should have; it is proposed, never done."""
    written_in: WrittenIn | None = None
    """Where what is meant is written, where the place is the command that sources or starts it."""
    cell: InCell | None = None
    """Where in a notebook: the lines are those of the file, the columns those of the cell's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed(ReportPart):
    """A finding that a comment in the script suppresses; it does not count for the verdict."""

    finding: Finding
    reason: str
    """Why, as the comment says."""
    line: int
    """Line of the comment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchecked(ReportPart):
    """Something that could not be checked: neither right nor wrong."""

    check: str
    """What was to be checked."""
    reason: str
    """Why it could not be, and what would help."""
