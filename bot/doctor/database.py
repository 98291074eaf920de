"""The App's database: there, answering, and in the mode that many readers share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.errors import UserError
from bot.base.messages import message
from bot.doctor._support.base import CheckAnswer, Surroundings
from bot.doctor._support.service import settings_of

if TYPE_CHECKING:
    from bot.service.database import Database

_NAME = "database"


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Whether the App could store a delivery now; nothing is made or changed."""
    if not around.runs_app:
        return
    try:
        database = settings_of(around).database
    except UserError:
        return  # The check of the App reports it.
    if not database.is_sqlite and around.offline:
        yield CheckAnswer(_NAME, "skipped", message("{shown} was not tried.", shown=database.shown))
        return
    yield (_file(database.path) if database.is_sqlite else None) or _connect(database)


def _file(path: Path) -> CheckAnswer | None:
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
    from sqlalchemy import text

    engine = database.engine(1)
    try:
        with engine.connect() as connection:
            if not database.is_sqlite:
                version = connection.execute(text("SHOW server_version")).scalar_one()
                return CheckAnswer(
                    _NAME,
                    "ok",
                    message(
                        "PostgreSQL {version} answers at {shown}.",
                        version=version,
                        shown=database.shown,
                    ),
                )
            version = connection.execute(text("SELECT sqlite_version()")).scalar_one()
            mode = connection.execute(text("PRAGMA journal_mode")).scalar_one()
    except Exception as error:
        lines = str(getattr(error, "orig", error)).strip().splitlines() or ["no reason given"]
        remedy = message("Check RLBOT_DATABASE_URL, and whether the server is up.")
        answer = message("{shown} does not answer: {lines}.", shown=database.shown, lines=lines[0])
        return CheckAnswer(_NAME, "wrong", answer, remedy)
    finally:
        engine.dispose()
    answer = message(
        "SQLite {version}, {path}, journal mode {mode}.",
        version=version,
        path=database.path,
        mode=mode,
    )
    if str(mode).lower() != "wal":
        remedy = message("Start `rlbot serve` once: it sets the mode WAL.")
        return CheckAnswer(_NAME, "missing", answer, remedy)
    return CheckAnswer(_NAME, "ok", answer)
