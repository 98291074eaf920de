"""Jobs that an older release stored end under this one; what it stored otherwise is still read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from bot.service.database import Database
from bot.service.job import Job
from bot.service.jobs import OLDER, JobClient, migrate
from bot.service.lease import Guard, lease_for
from bot.service.settings import ServiceSettings
from bot.service.verifications import SCHEMA, HiddenSubject, Verifications
from bot.service.worker import Worker
from tests.service.process import eventually
from tests.service.work import DiaryWork, job

STORED = Path(__file__).parent / "stored"


def _restore(database: Database, version: str) -> None:
    """The database as that release left it: `tests/service/stored/make.py` wrote it."""
    if database.is_sqlite:
        with closing(sqlite3.connect(database.path)) as old:
            old.executescript((STORED / f"{version}.sql").read_text("utf-8"))
        return
    address = database.url.replace("+psycopg", "")
    with psycopg.connect(address) as connection:
        connection.execute((STORED / f"{version}-postgres.sql").read_bytes())


@pytest.mark.parametrize("version", OLDER)
def test_jobs_of_an_older_release_end_under_this_one(
    version: str, database: Database, tmp_path: Path
) -> None:
    _restore(database, version)
    migrate(database)
    (tmp_path / "go").touch()
    client = JobClient(database)
    # One ran when its worker died, one waited behind it, one waited; one is done, one failed.
    assert {s.id: s.state for s in client.jobs()} == {
        job(1).id: "done",
        job(2).id: "failed",
        job(3).id: "running",
        job(3, "behind").id: "waiting",
        job(4).id: "waiting",
    }
    lease = lease_for(database, "new")
    lease.take()
    work = DiaryWork(tmp_path)
    worker = Worker(ServiceSettings(database=database, worker_id="new"), work)
    guard = Guard(lease, client, lambda: None, interval=0.2)
    worker.start()
    guard.start()
    try:
        ends = [job(3).id, job(3, "behind").id, job(4).id]
        eventually(lambda: {_state(client, one) for one in ends} == {"done"}, what="old jobs")
        # What had ended is not touched, and a failed one can be run again.
        assert f"check {job(1).id}" not in work.diary()
        assert _state(client, job(2).id) == "failed"
        assert client.retry(job(2).id)
        eventually(lambda: f"check {job(2).id}" in work.diary())
    finally:
        guard.stop()
        worker.stop(patience=5)
        client.close()
        lease.release()


def test_a_job_of_an_older_release_that_lives_is_left_to_its_worker(database: Database) -> None:
    _restore(database, OLDER[0])
    migrate(database)
    living = lease_for(database, "gone")
    living.take()
    client = JobClient(database)
    try:
        client.adopt(lambda worker: worker == "gone")
        assert _state(client, job(3).id) == "running"
    finally:
        client.close()
        living.release()


def _state(client: JobClient, wanted: str) -> str | None:
    status = client.show(wanted)
    return status.state if status else None


@pytest.mark.parametrize("lacking", ["head", "installation", "repository_id", "delivery", "detail"])
def test_fields_that_came_later_have_defaults(lacking: str) -> None:
    form = job(1).to_json()
    form.pop(lacking)
    assert Job.from_json({**form, "from_a_later_release": 1}).id == job(1).id


def test_our_own_tables_are_only_added_to(database: Database) -> None:
    first = Verifications(database)
    first.migrate()
    engine = database.engine(1)
    # The tables of the first release, with a line of it.
    with engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE rlbot_schema"))
        connection.execute(sa.text("DROP TABLE rlbot_hidden"))
        for later in ("repository_id", "installation"):
            connection.execute(sa.text(f"ALTER TABLE rlbot_reports DROP COLUMN {later}"))
        connection.execute(
            sa.text(
                "INSERT INTO rlbot_reports (id, repository, number, head, public, created, "
                "markdown, report) VALUES (1, 'o/r', 1, 'a', true, 1.0, 'm', '{}')"
            )
        )
    first.close()
    again = Verifications(database)
    again.migrate()
    again.migrate()
    found = again.report(1)
    assert found is not None
    assert found.repository == "o/r"
    # Its number is not known: an event about any other repository leaves it alone.
    again.hide([HiddenSubject("repository", 1), HiddenSubject("installation", 1)])
    assert again.report(1) is not None
    assert again.hide_name("O/R", unnumbered=True) == 1
    assert again.report(1) is None
    again.close()
    with engine.connect() as connection:
        assert (
            connection.execute(sa.text("SELECT version FROM rlbot_schema")).scalar_one() == SCHEMA
        )
    engine.dispose()
