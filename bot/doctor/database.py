"""The App's database: there, answering, and in the mode that many readers share."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.doctor._support.base import CheckAnswer, Surroundings
from bot.doctor._support.service import settings_of

if TYPE_CHECKING:
    from bot.service.database import Database

_NAME = "database"


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Whether the App could store a delivery now; nothing is made or changed."""
    if not around.runs_app:
        return
    settings, wrong = settings_of(around)
    from bot.service.settings import DATABASE

    database = settings.database
    if DATABASE in wrong:
        yield CheckAnswer(DATABASE, "wrong", wrong[DATABASE], message("Correct it."))
    elif database.is_sqlite:
        yield _unopened(database.path) or _connect(database)
    elif around.offline:
        yield CheckAnswer(_NAME, "skipped", message("{shown} was not tried.", shown=database.shown))
    else:
        yield _connect(database)


def _unopened(path: Path) -> CheckAnswer | None:
    """What can be seen of an SQLite file from outside; None when it can be opened."""
    needed = [path, path.parent] if path.exists() else [path.parent]
    if not all(os.access(one, os.W_OK) for one in needed):
        text = message("{path} or its folder cannot be written to.", path=path)
        remedy = message("Run this as the user that runs the App, or give that user the folder.")
        return CheckAnswer(_NAME, "wrong", text, remedy)
    if not path.exists():
        return CheckAnswer(_NAME, "ok", message("{path} is made when the App starts.", path=path))
    return None


def _connect(database: Database) -> CheckAnswer:
    try:
        answer = database.carry_out(lambda: _ask(database))
    except UserError as error:
        remedy = message("Check RLBOT_DATABASE_URL, and whether the server is up.")
        return CheckAnswer(_NAME, "wrong", sentence_of(error), remedy)
    if not database.is_sqlite:
        text = message(
            "PostgreSQL {version} answers at {shown}.", version=answer, shown=database.shown
        )
        return CheckAnswer(_NAME, "ok", text)
    text = message(
        "SQLite {version}, {path}, journal mode {mode}.",
        version=sqlite3.sqlite_version,
        path=database.path,
        mode=answer,
    )
    if answer != "wal":
        remedy = message("Start `rlbot serve` once: it sets the mode WAL.")
        return CheckAnswer(_NAME, "missing", text, remedy)
    return CheckAnswer(_NAME, "ok", text)


def _ask(database: Database) -> str:
    """The journal mode of an SQLite file, the version of a PostgreSQL server."""
    from sqlalchemy import text

    engine = database.engine(1)
    try:
        with engine.connect() as connection:
            question = "PRAGMA journal_mode" if database.is_sqlite else "SHOW server_version"
            return str(connection.execute(text(question)).scalar_one())
    finally:
        engine.dispose()
