"""What a check of the page is given, what it gives, and what it says about itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bot.frameworks.plan import Plan
from bot.report import Finding, Severity
from bot.script.header import Header
from bot.script.name import ScriptName
from bot.table.columns import Column
from bot.table.parts import Cell, Page, PageRow, Section

State: TypeAlias = Literal["found", "missing", "unknown", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """What a check says about itself; its documentation page is made from this."""

    id: str
    """Stable for ever: RLB306."""
    slug: str
    """The file's name with dashes: row-model."""
    severity: Severity
    added_in: str
    """First release of rlbot that has it."""
    summary: str
    """One line: what it finds."""
    why: str
    instead: str
    limits: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSubject:
    """A script of the repository, read."""

    path: str
    name: ScriptName
    header: Header
    plans: Sequence[Plan]
    """One for each launch of a known framework, in order."""
    trials: Sequence[Finding] = ()
    """What the rule `trial-log` says of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a row's link leads."""

    state: State
    """none: the row holds no link · unknown: it cannot be told, `reason` says why."""
    address: str = ""
    path: str | None = None
    """Path in this repository."""
    commit: str | None = None
    """The commit, tag or branch that the link names; None for the page's own state."""
    reason: str = ""
    subject: PageSubject | None = None
    """The script, where one is found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptEntry:
    """A row of the page with the script that it is about."""

    section: Section
    row: PageRow
    target: Target
    meant: PageSubject | None = None
    """For a dead link the one script whose name says the same."""

    @property
    def subject(self) -> PageSubject | None:
        """The script that the row is compared with."""
        return self.target.subject or self.meant

    @property
    def script(self) -> str:
        """The script's path, for messages; with the commit where the link names one."""
        path = self.subject.path if self.subject else self.target.path or self.target.address
        pinned = self.target.commit if self.target.subject else None
        return f"{path} ({pinned[:10]})" if pinned else path

    def cell(self, column: Column) -> Cell | None:
        """The cell of a column, when it says something."""
        found = self.row.cell(column)
        return found if found and found.text else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """The page with the scripts of its repository. Pure data: a check reads nothing else."""

    page: Page
    entries: Sequence[ScriptEntry]
    unread: Sequence[ScriptEntry] = ()
    """Rows of tables that cannot be read: where their cells stand is not sure."""
    scripts: Sequence[PageSubject]
    """Every tuning script of the repository, in path order."""
    offered: Collection[str] = ()
    """Paths of scripts whose row is offered beside the report on the page."""

    def compared(self, column: Column) -> Iterator[tuple[ScriptEntry, Cell, PageSubject]]:
        """The rows that say something in a column and whose script has been read."""
        for entry in self.entries:
            cell, subject = entry.cell(column), entry.subject
            if cell and subject and subject.plans:
                yield entry, cell, subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One thing that a check found; `start` and `end` are offsets in the page's text."""

    message: str
    start: int
    end: int
    help: str | None = None
    severity: Severity | None = None
    """Only when it differs from the check's own."""
    fix_title: str | None = None
    text: str | None = None
    """The RST that the stretch should hold, where that follows from the script."""
    safe: bool = False


def at(cell: Cell) -> tuple[int, int]:
    """The place of a cell."""
    return cell.start, cell.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Something that should have been checked and could not be, with the reason."""

    reason: str


Check: TypeAlias = Callable[[PageContext], Iterable[Hit | Skip]]


@dataclass(frozen=True, slots=True)
class PageCheck:
    """A check as the registry hands it out."""

    meta: Meta
    check: Check
