"""A tracker's SQLite database, read from a copy: the original and its folder stay as they are.

SQLite leaves `-wal` and `-shm` beside a file that it opens, even to read it; what a run wrote last
stands in the `-wal`, so that is copied too. The file may be anybody's: its schema is not trusted,
only plain tables are asked, and time and memory are bounded.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bot.base.messages import mark, message, plural_message, seconds_of
from bot.evidence.facts import EvidenceError
from bot.evidence.limits import RunLimits
from bot.evidence.locate import open_inside, shown
from bot.evidence.trackers.places import RunPath

MAGIC: Final = b"SQLite format 3\0"
_HEAP: Final = 128 << 20
"""Bytes that SQLite may allocate."""
_STEPS: Final = 100_000
"""Instructions of SQLite after which the clock is looked at."""
_DAMAGED: Final = mark(
    "{name} is damaged or incomplete ({reason}): copy the database and its -wal file again while "
    "nothing writes to it."
)


class RunDatabase:
    """A connection to the copy; `rows` raises EvidenceError where the database is damaged."""

    def __init__(self, connection: sqlite3.Connection, name: str, limits: RunLimits) -> None:
        self.name = name
        self._connection = connection
        self._deadline = time.monotonic() + limits.seconds
        self._seconds = limits.seconds
        connection.set_progress_handler(self._late, _STEPS)

    def _late(self) -> int:
        return int(time.monotonic() > self._deadline)

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a plain table; empty where there is none, or it is a view or virtual."""
        row = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
        found = list(self.rows(row, (table,)))
        text = str(found[0][0]).upper() if found else "VIRTUAL"
        if text.startswith("CREATE VIRTUAL") or "GENERATED" in text or text == "VIRTUAL":
            return frozenset()
        return frozenset(
            str(name) for (name,) in self.rows("SELECT name FROM pragma_table_info(?)", (table,))
        )

    def rows(self, query: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query."""
        try:
            yield from self._connection.execute(query, values)
        except sqlite3.Error as error:
            if time.monotonic() > self._deadline:
                raise EvidenceError(
                    "{name} could not be read within {bound}: export the one run that is meant.",
                    name=self.name,
                    bound=seconds_of(self._seconds),
                ) from None
            raise EvidenceError(_DAMAGED, name=self.name, reason=str(error)) from None
        except (MemoryError, OverflowError) as error:
            reason = type(error).__name__
            raise EvidenceError(_DAMAGED, name=self.name, reason=reason) from None


@contextmanager
def opened(place: RunPath, path: Path, limits: RunLimits) -> Iterator[RunDatabase]:
    """A copy of the database; raises EvidenceError where it is too large or is none."""
    name = shown(path.name)
    with TemporaryDirectory(prefix="rlbot-") as folder:
        copy = Path(folder) / "copy.db"
        left = limits.log_bytes
        for suffix in ("", "-wal"):
            beside = path.with_name(path.name + suffix)
            if suffix and not beside.exists():
                continue
            with (
                open_inside(place.root, beside) as source,
                Path(f"{copy}{suffix}").open("wb") as to,
            ):
                while chunk := source.read(1 << 20):
                    left -= len(chunk)
                    if left < 0:
                        raise EvidenceError(
                            "{name} is larger than {bound}: export the one run that is meant.",
                            name=name,
                            bound=plural_message("{count} byte", "{count} bytes", limits.log_bytes),
                        )
                    to.write(chunk)
        if _is_cut(copy):
            raise EvidenceError(_DAMAGED, name=name, reason=message("its end is missing"))
        os.chmod(copy, 0o600)  # noqa: PTH101
        connection = sqlite3.connect(copy, isolation_level=None)
        try:
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.record_bytes)
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            database = RunDatabase(connection, name, limits)
            for setting in ("trusted_schema=OFF", "query_only=ON", "mmap_size=0",
                            "cell_size_check=ON", f"hard_heap_limit={_HEAP}"):  # fmt: skip
                list(database.rows(f"PRAGMA {setting}"))
            yield database
        finally:
            connection.close()


def _is_cut(path: Path) -> bool:
    """Whether a file has fewer pages than its header counts, which SQLite itself overlooks."""
    with path.open("rb") as stream:
        header = stream.read(100)
    if len(header) < 100 or not header.startswith(MAGIC):
        return True
    size = int.from_bytes(header[16:18], "big")
    # The count is that of the last change only where both counters agree (sqlite.org/fileformat).
    counted = int.from_bytes(header[28:32], "big") if header[24:28] == header[92:96] else 0
    return path.stat().st_size < counted * (65_536 if size == 1 else size)


def databases(place: RunPath, names: frozenset[str], own: bytes | None = None) -> Iterator[Path]:
    """The databases at a place that hold tables of these names.

    Text that only they have on their first page, `own`, is looked for before the tables are.
    """
    for path in place.files:
        if place.is_folder and path.suffix != ".db":
            continue
        start = RunPath(path).start
        if start.startswith(MAGIC) and (
            (own is not None and own in start) or tables(place, path) >= names
        ):
            yield path


def tables(place: RunPath, path: Path) -> frozenset[str]:
    """The plain tables of a database; empty where it cannot be read."""
    try:
        with opened(place, path, RunLimits(seconds=10.0)) as database:
            found = database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
            return frozenset(str(name) for (name,) in found)
    except (EvidenceError, OSError, sqlite3.Error):
        return frozenset()
