"""Where jobs and verifications are stored: one SQLite file to start with, PostgreSQL by its URL."""

from __future__ import annotations

import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa

from bot.base.errors import UserError, system_reason
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.regex import regex

T = TypeVar("T")

_SQLITE = "sqlite:///"
BUSY = 7_000
"""Milliseconds that a statement waits for a lock: GitHub hangs up after ten seconds."""
_DELIVERY = 1 << 20
"""Bytes on the disk that a delivery, its job and its log are sure to find room in."""
_PYTHON = sys.version_info[:2]
_MILLISECONDS = (3, 42)
"""The SQLite that tells time in milliseconds (`unixepoch('subsec')`), which DBOS asks of it from
Python 3.12 on (3.4.0, `get_sqlite_timestamp_expr`); an older one answers NULL. Debian 12 has 3.40.
"""
_POSTGRES = regex(r"postgres(?:ql)?(?:\+psycopg)?://")


class _Relaxed(sqlite3.Connection):
    """Leaves the sync to the disk to the next checkpoint, or to the next stored delivery."""

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self.execute("PRAGMA synchronous=NORMAL")


@dataclass(frozen=True, slots=True)
class Database:
    """A database by its URL, in the form that SQLAlchemy reads."""

    url: str
    named_by: str = "RLBOT_DATABASE_URL"
    """The variable or the option that names it."""

    @property
    def is_sqlite(self) -> bool:
        """True for a file on this machine."""
        return self.url.startswith(_SQLITE)

    @property
    def path(self) -> Path:
        """The file of an SQLite database."""
        return Path(self.url.removeprefix(_SQLITE))

    @property
    def shown(self) -> str:
        """The URL as it is given, without its password."""
        given = self.url.replace("postgresql+psycopg://", "postgresql://", 1)
        return re.sub(r"(://[^:/@]{0,500}):[^@]{0,500}@", r"\1:***@", given)

    def engine(self, pool: int) -> sa.Engine:
        """Connections that fail in bounded time instead of waiting for a database that is gone.

        `pool` is the number of connections. SQLAlchemy connects when first used.
        """
        if self.is_sqlite:
            engine = sa.create_engine(
                self.url, pool_size=pool, max_overflow=0, pool_timeout=BUSY / 1000
            )
            sa.event.listen(engine, "connect", _connected)
            return engine
        return sa.create_engine(
            self.url,
            pool_size=pool,
            max_overflow=0,
            pool_timeout=BUSY / 1000,
            pool_pre_ping=True,
            connect_args={
                "application_name": "rlbot",
                "connect_timeout": 5,
                # A server that went away without a word is noticed by the system, in ms.
                "tcp_user_timeout": BUSY,
                "options": f"-c statement_timeout={BUSY} -c lock_timeout={BUSY} "
                "-c idle_in_transaction_session_timeout=60000",
            },
        )

    def steps(self) -> dict[str, Any]:
        """Connection arguments for a worker, whose last step may be repeated after a power cut."""
        if self.is_sqlite:
            return {"factory": _Relaxed}
        return {"tcp_user_timeout": BUSY, "connect_timeout": 5}

    def prepare(self) -> None:
        """Put an SQLite file into write-ahead mode, which one writer and many readers share.

        Raises UserError when the file cannot be made.
        """
        if not self.is_sqlite:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with sqlite3.connect(self.path, timeout=30) as connection:
                connection.execute("PRAGMA journal_mode=WAL")
            connection.close()
        except (OSError, sqlite3.Error) as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
                raise UserError(
                    "{path} is no database of SQLite's: name the App's with {name}.",
                    path=self.path,
                    name=self.named_by,
                ) from None
            raise UserError(
                "The database {path} cannot be opened: {error}. {name} names it; its folder must "
                "be one that this user may write.",
                path=self.path,
                error=system_reason(error) if isinstance(error, OSError) else str(error),
                name=self.named_by,
            ) from None

    def take_more(self) -> None:
        """Write as much as a delivery takes beside an SQLite file, and drop it.

        Raises UserError where the disk takes no more; of a server's disk nothing is known here.
        """
        if not self.is_sqlite:
            return
        try:
            with tempfile.TemporaryFile(dir=self.path.parent) as file:
                file.write(bytes(_DELIVERY))
        except OSError as error:
            raise UserError(
                "The folder {folder} takes no more: {why}. Free some space on its disk.",
                folder=self.path.parent,
                why=system_reason(error),
            ) from None

    def carry_out(self, act: Callable[[], T]) -> T:
        """What `act` gives; raises UserError when the database does not take part."""
        try:
            return act()
        except (sa.exc.SQLAlchemyError, sqlite3.Error, OSError) as error:
            why = database_reason(error)
            failed = message(
                "The database {database} did not answer: {why}.", database=self.shown, why=why
            )
            if not self.is_sqlite and not is_outage(error):
                failed = message(
                    "The database {database} refused: {why}. Its user must own it, and "
                    "`rlbot serve` makes its tables.",
                    database=self.shown,
                    why=why,
                )
            elif not self.is_sqlite:
                failed = message(
                    "{what} Start it, or name the right one with {name}.",
                    what=failed,
                    name=self.named_by,
                )
            raise UserError(failed) from None


def database_reason(error: Exception) -> str:
    """The database's own words, without what SQLAlchemy says around them: a statement, a page."""
    reason = str(getattr(error, "orig", error)).strip()
    return (reason.splitlines() or [type(error).__name__])[0]


OUTAGES = (sa.exc.OperationalError, sa.exc.InterfaceError, sa.exc.TimeoutError)
"""What is raised when the database does not answer, or is locked or full."""


def is_outage(error: Exception) -> bool:
    """Whether the database is down: no statement is at fault."""
    return isinstance(error, OUTAGES)


def parse_database(text: str) -> Database:
    """The database of a URL, or of the path of a file.

    Raises UserError for another scheme, and for a file where SQLite is too old.
    """
    if text.startswith(_SQLITE):
        return _file(Path(text.removeprefix(_SQLITE)))
    if match := _POSTGRES.match(text):
        url = f"postgresql+psycopg://{text[match.end() :]}"
        try:
            sa.make_url(url)
        except (sa.exc.ArgumentError, ValueError):
            # The URL itself may hold a password.
            raise UserError(
                "The database URL is not of the form postgresql://USER:PASSWORD@HOST/NAME."
            ) from None
        return Database(url)
    if "://" in text:
        scheme = text.partition("://")[0]
        raise UserError(
            "The database URL has the scheme {scheme}; rlbot knows sqlite:///FILE and "
            "postgresql://USER:PASSWORD@HOST/NAME.",
            scheme=scheme,
        )
    return _file(Path(text))


def _file(path: Path) -> Database:
    """The database in a file; raises UserError where SQLite is too old for the job engine."""
    if _PYTHON >= (3, 12) and sqlite3.sqlite_version_info < _MILLISECONDS:
        raise UserError(
            "SQLite {version} is too old for the App with Python {python}, which needs 3.42: run "
            "it with Python 3.11 or a newer SQLite, or set RLBOT_DATABASE_URL to a PostgreSQL "
            "server.",
            version=sqlite3.sqlite_version,
            python=".".join(map(str, _PYTHON)),
        )
    return Database(f"{_SQLITE}{path.absolute()}")


def _connected(connection: Any, _record: object) -> None:
    # Writers take the lock when they begin, so that none loses what it has read meanwhile.
    connection.isolation_level = "IMMEDIATE"
    connection.execute(f"PRAGMA busy_timeout={BUSY}")
    connection.execute("PRAGMA foreign_keys=ON")
