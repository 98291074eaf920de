"""The long tests of `make chaos`; `make test` runs the same in short."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.service.database import Database
from bot.service.jobs import JobClient, migrate
from tests.service.app_process import AppProcess
from tests.service.storm import storm, takeover
from tests.service.work import job

TAKEOVER = 10.0
"""Seconds in which a dead worker's jobs go on elsewhere."""


def test_storm_on_sqlite(sqlite: Database, tmp_path: Path) -> None:
    storm([AppProcess("both", "one", sqlite, tmp_path)], sqlite, tmp_path, deliveries=500, kills=30)


def test_storm_on_postgresql_with_two_workers(postgres: Database, tmp_path: Path) -> None:
    processes = [
        AppProcess(role, name, postgres, tmp_path)
        for role, name in (("web", "web"), ("worker", "w1"), ("worker", "w2"))
    ]
    storm(processes, postgres, tmp_path, deliveries=500, kills=30)


def test_takeover_twenty_times(database: Database, tmp_path: Path) -> None:
    migrate(database)
    client = JobClient(database)
    workers = [AppProcess("worker", name, database, tmp_path) for name in ("w1", "w2")]
    times = []
    try:
        workers[0].start()
        for turn in range(20):
            doomed, other = workers[turn % 2], workers[1 - turn % 2]
            first, behind = job(turn, "first", block_in="check"), job(turn, "behind")
            times.append(takeover(doomed, other, client, first, behind))
    finally:
        client.close()
        for worker in workers:
            worker.end()
    print(f"{len(times)} takeovers, the slowest in {max(times):.1f} s")  # noqa: T201
    assert max(times) < TAKEOVER


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q", "-s", "--durations=0"]))
