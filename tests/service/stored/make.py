"""Writes `VERSION.sql`: the database of a release with jobs in every state, for the releases after.

    python -m tests.service.stored.make

Run it before the version of the jobs is raised, and keep the file.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from bot.service.database import parse_database
from bot.service.jobs import VERSION, JobClient
from tests.service.process import eventually, worker_process
from tests.service.work import DiaryWork, job

HERE = Path(__file__).parent


def main() -> None:
    """Make the jobs, kill the worker, write the dump."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = parse_database(str(folder / "rlbot.sqlite"))
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
        with closing(sqlite3.connect(database.path)) as stored:
            lines = list(stored.iterdump())
    (HERE / f"{VERSION}.sql").write_text("\n".join(lines) + "\n", "utf-8")
    sys.stdout.write(f"{VERSION}.sql: {len(lines)} statements\n")


if __name__ == "__main__":
    main()
