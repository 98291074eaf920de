"""A database that takes nothing more while jobs are at work: they go on once it does."""

from __future__ import annotations

import logging
import resource
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.base.errors import UserError
from bot.service.database import Database
from bot.service.lease import LOOKS, Guard, lease_for
from bot.service.settings import ServiceSettings
from bot.service.worker import Worker
from tests.service.process import eventually
from tests.service.test_jobs import client_of
from tests.service.work import DiaryWork, job

FULL = "database or disk is full"


@contextmanager
def full(table: str) -> Iterator[threading.Event]:
    """Nothing is written to a table until the block ends; the event is set by the first refusal."""
    refused = threading.Event()

    def refuse(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if statement.startswith(("INSERT", "UPDATE")) and table in statement:
            refused.set()
            raise sa.exc.OperationalError(statement, {}, sqlite3.OperationalError(FULL))

    sa.event.listen(sa.Engine, "before_cursor_execute", refuse)
    try:
        yield refused
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", refuse)


@pytest.mark.database
@pytest.mark.parametrize("table", ["operation_outputs", "workflow_status"])
def test_jobs_go_on_once_the_database_takes_their_steps(
    sqlite: Database, tmp_path: Path, table: str, caplog: pytest.LogCaptureFixture
) -> None:
    ended: list[str] = []
    lease = lease_for(sqlite, "w1")
    lease.take()
    work = DiaryWork(tmp_path)
    settings = ServiceSettings(database=sqlite, worker_id="w1")
    worker = Worker(settings, work, ended=lambda _job, outcome: ended.append(outcome))
    with client_of(sqlite) as client, caplog.at_level(logging.INFO, "rlbot"):
        guard = Guard(lease, client, lambda: None, active=worker.active, interval=0.02)
        worker.start()
        guard.start()
        try:
            first, behind = job(1, block_in="publish"), job(1, "behind")
            client.submit(first)
            eventually(lambda: f"publish {first.id}" in work.diary())
            client.submit(behind)
            with full(table) as refused:
                (tmp_path / "go").touch()
                eventually(refused.is_set)
                eventually(lambda: not worker.active())
            for one in (first, behind):
                eventually(lambda one=one: _done(client, one.id))  # type: ignore[misc]
        finally:
            guard.stop(5)
            worker.stop(patience=5)
            lease.release()
    assert "failed" not in ended
    # What was stored before is not done again.
    assert work.diary().count(f"check {first.id}") == 1
    if table == "operation_outputs":
        assert FULL in caplog.text


@pytest.mark.database
def test_nothing_is_ready_on_a_full_disk(sqlite: Database) -> None:
    """The system refuses each write behind a file's 4096th byte, as a full disk does."""
    with client_of(sqlite) as client:
        client.ready()
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
        try:
            with pytest.raises(UserError, match=r"takes no more: .* Free some space on its disk"):
                client.ready()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        client.ready()


def _done(client: Any, wanted: str) -> bool:
    status = client.show(wanted)
    return status is not None and status.state == "done"


@pytest.mark.database
def test_a_job_that_runs_is_left_alone(sqlite: Database, tmp_path: Path) -> None:
    lease = lease_for(sqlite, "w1")
    lease.take()
    work = DiaryWork(tmp_path)
    worker = Worker(ServiceSettings(database=sqlite, worker_id="w1"), work)
    with client_of(sqlite) as client:
        guard = Guard(lease, client, lambda: None, active=worker.active)
        worker.start()
        try:
            client.submit(job(1, block_in="check"))
            eventually(lambda: f"check {job(1).id}" in work.diary())
            assert [guard.look() for _ in range(LOOKS + 2)] == [0] * (LOOKS + 2)
            (tmp_path / "go").touch()
            eventually(lambda: _done(client, job(1).id))
        finally:
            worker.stop(patience=5)
            lease.release()
