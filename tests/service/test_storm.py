"""A short storm on each database; `make chaos` runs long ones."""

from __future__ import annotations

from pathlib import Path

from bot.service.database import Database
from tests.github.world import World
from tests.service.app_process import AppProcess
from tests.service.installed import install
from tests.service.judge import judge
from tests.service.storm import storm

PACE = 0.1


def test_a_storm_on_sqlite(here: World, sqlite: Database, tmp_path: Path) -> None:
    github = install(here)
    app = AppProcess("both", "one", sqlite, tmp_path, more=github.environment(), pace=PACE)
    done = storm(github, [app], deliveries=30, kills=3, seconds=8)
    judge(done, sqlite)


def test_a_storm_on_postgresql_with_a_worker_apart(
    here: World, postgres: Database, tmp_path: Path
) -> None:
    github = install(here)
    processes = [
        AppProcess(role, role, postgres, tmp_path, more=github.environment(), pace=PACE)
        for role in ("web", "worker")
    ]
    done = storm(github, processes, deliveries=30, kills=3, seconds=8)
    judge(done, postgres)
