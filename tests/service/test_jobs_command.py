"""What the operator sees of the jobs, on either database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.service.database import Database
from bot.service.jobs import JobClient, migrate
from tests.command import Result, rlbot
from tests.service.process import eventually
from tests.service.test_jobs import worker_of
from tests.service.work import job

TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}Z")


def jobs(database: Database, *arguments: str) -> Result:
    address = database.url.replace("+psycopg", "")
    return rlbot("jobs", *arguments, environment={"RLBOT_DATABASE_URL": address})


def shown(database: Database, *arguments: str) -> str:
    done = jobs(database, *arguments)
    assert done.err == ""
    return TIME.sub("2026-11-21 10:00:00Z", done.out)


@pytest.fixture
def stored(database: Database, tmp_path: Path) -> Iterator[Database]:
    """One done, one failed, one waiting."""
    ended: list[tuple[str, str]] = []
    client = JobClient(database)
    with worker_of(database, tmp_path, ended):
        client.submit(job(1))
        eventually(lambda: len(ended) == 1)
        client.submit(job(2, bad=1))
        eventually(lambda: len(ended) == 2)
        eventually(lambda: client.counts()["running"] == 0)
    client.submit(job(3))
    yield database
    client.close()


def test_what_the_operator_sees(stored: Database, snapshot: SnapshotAssertion) -> None:
    assert shown(stored, "list") == snapshot(name="list")
    assert shown(stored, "list", "--state", "failed") == snapshot(name="dead letters")
    assert shown(stored, "show", job(2).id) == snapshot(name="show")
    assert shown(stored, "retry", "--failed") == "1 of 1 job runs again.\n"
    assert shown(stored, "list", "--state", "failed") == "No jobs.\n"
    assert shown(stored, "purge", "--older-than", "1d") == "0 jobs deleted.\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["show", "nobody"], 'There is no job "nobody"'),
        (["retry"], "Name the jobs to run again"),
        (["purge", "--older-than", "soon"], "--older-than takes a number with s, m, h or d"),
        (["list", "--limit", "-4"], "takes a number from 1 to 1000000; got -4."),
    ],
)
def test_wrong_usage_is_a_sentence(sqlite: Database, arguments: list[str], sentence: str) -> None:
    migrate(sqlite)
    done = jobs(sqlite, *arguments)
    assert done.status == 2
    assert sentence in done.err


def test_a_job_that_cannot_be_retried_is_named(sqlite: Database) -> None:
    migrate(sqlite)
    done = jobs(sqlite, "retry", "nobody")
    assert (done.status, done.out) == (1, "0 of 1 job runs again.\n")
    assert done.err == "rlbot: nobody is no job that failed or was cancelled\n"


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    done = rlbot("jobs", "--database", tmp_path / "none.sqlite", "list")
    assert done.status == 2
    assert "There is no database" in done.err
    assert not (tmp_path / "none.sqlite").exists()


def test_who_named_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    other = tmp_path / "passwd"
    other.write_text("root:x:0:0:root:/root:/bin/bash\n" * 40, encoding="utf-8")
    before = other.read_bytes()
    done = rlbot("jobs", "list", "--database", other)
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        f"rlbot: {other} is no database of SQLite's: name the App's with --database.\n"
    )
    by_variable = rlbot("jobs", "list", environment={"RLBOT_DATABASE_URL": str(other)})
    assert by_variable.err.endswith("name the App's with RLBOT_DATABASE_URL.\n")
    assert other.read_bytes() == before
    folder = rlbot("jobs", "list", "--database", tmp_path)
    assert "--database names it; its folder must be one that this user may write." in folder.err
