"""Where jobs and verifications are stored: one SQLite file to start with, PostgreSQL by its URL."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from bot.errors import UserError

_SQLITE = "sqlite:///"
_POSTGRES = re.compile(r"postgres(?:ql)?(?:\+psycopg)?://")


@dataclass(frozen=True, slots=True)
class Database:
    """A database by its URL, in the form that SQLAlchemy reads."""

    url: str

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
        """The URL without its password."""
        return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", self.url)

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
            raise UserError(f"The database {self.path} cannot be opened: {error}.") from None


def parse_database(text: str) -> Database:
    """The database of a URL, or of the path of a file; raises UserError for another scheme."""
    if text.startswith(_SQLITE):
        return Database(f"{_SQLITE}{Path(text.removeprefix(_SQLITE)).absolute()}")
    if match := _POSTGRES.match(text):
        return Database(f"postgresql+psycopg://{text[match.end() :]}")
    if "://" in text:
        scheme = text.partition("://")[0]
        raise UserError(
            f"The database URL has the scheme {scheme}; rlbot knows sqlite:///FILE and "
            "postgresql://USER:PASSWORD@HOST/NAME."
        )
    return Database(f"{_SQLITE}{Path(text).absolute()}")
