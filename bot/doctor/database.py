"""The App's database: there, answering, and in the mode that many readers share."""

from __future__ import annotations

import os
from collections.abc import Iterator

from bot.base.errors import UserError
from bot.doctor._support.base import Answer, Surroundings
from bot.doctor._support.service import is_asked, settings_of

_NAME = "database"


def check(around: Surroundings) -> Iterator[Answer]:
    """Whether the App could store a delivery now; nothing is made or changed."""
    if not is_asked(around.environment):
        return
    try:
        database = settings_of(around).database
    except UserError:
        return  # told with the App
    if database.is_sqlite:
        path = database.path
        if not path.exists():
            folder = path.parent
            state = "ok" if os.access(folder, os.W_OK) else "wrong"
            if state == "ok":
                said = f"{path} is made when the App starts."
                yield Answer(subject=_NAME, state="ok", said=said)
            else:
                said = f"{path} is not there, and its folder cannot be written to."
                remedy = f"Make {folder} for the user that runs the App."
                yield Answer(subject=_NAME, state="wrong", said=said, remedy=remedy)
            return
        if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
            said = f"{path} or its folder cannot be written to."
            remedy = "Run this as the user that runs the App, or give that user the folder."
            yield Answer(subject=_NAME, state="wrong", said=said, remedy=remedy)
            return
    elif around.offline:
        yield Answer(subject=_NAME, state="skipped", said=f"{database.shown} was not tried.")
        return
    from sqlalchemy import text

    engine = database.engine(1)
    try:
        with engine.connect() as connection:
            if database.is_sqlite:
                version = connection.execute(text("SELECT sqlite_version()")).scalar_one()
                mode = connection.execute(text("PRAGMA journal_mode")).scalar_one()
                said = f"SQLite {version}, {database.path}, journal mode {mode}."
                if str(mode).lower() != "wal":
                    remedy = "Start `rlbot serve` once: it sets the mode WAL."
                    yield Answer(subject=_NAME, state="missing", said=said, remedy=remedy)
                    return
            else:
                version = connection.execute(text("SHOW server_version")).scalar_one()
                said = f"PostgreSQL {version} answers at {database.shown}."
            yield Answer(subject=_NAME, state="ok", said=said)
    except Exception as error:
        why = (str(getattr(error, "orig", error)).strip().splitlines() or ["no reason given"])[0]
        said = f"{database.shown} does not answer: {why}."
        remedy = "Check RLBOT_DATABASE_URL, and whether the server is up."
        yield Answer(subject=_NAME, state="wrong", said=said, remedy=remedy)
    finally:
        engine.dispose()
