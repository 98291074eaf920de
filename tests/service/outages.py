"""Outages in their real length, for `make outages`: side by side, since they mostly wait.

During each of them webhooks are answered in time and nothing is lost; afterwards every pull request
gets its one right answer without a hand.
"""

from __future__ import annotations

import fcntl
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.service.database import Database
from tests.conftest import WrittenRun
from tests.evidence.samples import MATCHING
from tests.github.outage import KINDS, Kind, Outage
from tests.github.store import Pull
from tests.github.world import World
from tests.service.app_process import AppProcess
from tests.service.installed import Installed, install
from tests.service.judge import judge
from tests.service.process import eventually
from tests.service.storm import Storm, push
from tests.service.test_processes import LOCKER
from tests.wandb_server.server import Wandb
from tests.wandb_server.upload import sync

TEN_MINUTES = 600.0
MINUTE = 60.0
IN_TIME = 9.0
"""Seconds in which a webhook is answered: GitHub hangs up after ten."""
MOST_REQUESTS: dict[Kind, int] = {
    "down": 1_200,
    "hanging": 600,
    "primary": 24,
    "429": 24,
    "secondary": 150,
}
"""In ten minutes; a limit whose end is told is asked once by those that were at work."""
LOOKED = 1_500.0
"""Seconds after W&B is back in which every run is looked for again: looks come 2, 7, 17 and 32
minutes after an answer."""
SOON = 300.0
"""Seconds from the end of an outage to the last answer, on a machine that does much besides."""


@dataclass
class Diary:
    """The deliveries of an outage."""

    storm: Storm
    slowest: float = 0.0
    refused: int = 0
    waiting: list[tuple[dict[str, Any], str]] = field(default_factory=list)

    def push(self, number: int) -> None:
        """A contributor pushes, GitHub delivers once."""
        self.send(*push(self.storm, number))

    def send(self, payload: dict[str, Any], guid: str) -> None:
        """Deliver; what is refused is kept to be delivered again."""
        began = time.monotonic()
        status = self.storm.github.hook.send("pull_request", payload, guid=guid).status
        took = time.monotonic() - began
        assert took < IN_TIME, f"answered {status} after {took:.1f} s"
        assert status in (202, 503), status
        self.slowest = max(self.slowest, took)
        self.storm.sent += 1
        if status == 503:
            self.refused += 1
            self.waiting.append((payload, guid))

    def again(self) -> None:
        """What was refused is delivered again, as the App's sweep asks for."""
        waiting, self.waiting = self.waiting, []
        for payload, guid in waiting:
            self.send(payload, guid)


@contextmanager
def kept_alive(process: AppProcess) -> Iterator[None]:
    """Started whenever it ended, as systemd does."""
    over = threading.Event()

    def keep() -> None:
        while not over.wait(1):
            if process.process is not None and process.process.poll() is not None:
                try:
                    process.start()
                except AssertionError:
                    continue

    thread = threading.Thread(target=keep, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def during(
    processes: list[AppProcess], github: Installed, seconds: float, begin: Callable[[], object]
) -> Diary:
    """An outage: jobs are at work when it begins, more come while it lasts, lanes fill up."""
    diary = Diary(Storm(github, processes))
    github.hook.url = f"http://127.0.0.1:{processes[0].port}/webhook"
    with (Path(tempfile.gettempdir()) / "rlbot-outages.lock").open("w") as turn:
        # Ten that start at once would keep each other from starting in time.
        fcntl.flock(turn, fcntl.LOCK_EX)
        for process in processes:
            process.start()
    for number in range(4):
        diary.push(number)
    begin()
    end = time.monotonic() + seconds
    for number in range(12):
        # More than are worked on at once, and several to a lane.
        diary.push(number)
    number = 0
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, seconds / 12))
        diary.push(number % 12)
        number += 1
    return diary


def ended(name: str, diary: Diary, database: Database) -> None:
    """Look, and tell."""
    began = time.monotonic()
    said = judge(diary.storm, database, seconds=SOON)
    took = time.monotonic() - began
    print(  # noqa: T201
        f"{name}: all answered {took:.0f} s after the end; the slowest webhook took "
        f"{diary.slowest:.2f} s, {diary.refused} got 503; {said}"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_github_is_away_for_ten_minutes(
    here: World, sqlite: Database, tmp_path: Path, kind: Kind
) -> None:
    github = install(here)
    app = AppProcess("both", "one", sqlite, tmp_path, more=github.environment())
    outage = Outage(kind, time.time() + TEN_MINUTES)

    def begin() -> None:
        outage.until = time.time() + TEN_MINUTES
        here.store.outage = outage

    diary = during([app], github, TEN_MINUTES, begin)
    ended(f"GitHub, {kind} ({len(outage.asked)} requests meanwhile)", diary, sqlite)
    assert diary.refused == 0
    assert len(outage.asked) <= MOST_REQUESTS.get(kind, len(outage.asked))


@pytest.mark.parametrize("kind", ["refuses", "hangs"])
def test_wandb_is_away_for_ten_minutes(
    here: World, sqlite: Database, tmp_path: Path, written: WrittenRun, kind: str
) -> None:
    github = install(here)
    with Wandb().serving() as before:
        run = sync(before, written(MATCHING))
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        if kind == "hangs":
            nobody.listen(100)  # The connection stands, and no answer ever comes.
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        more = {**github.environment(), "WANDB_BASE_URL": address}
        app = AppProcess("both", "one", sqlite, tmp_path, more=more)
        link = f"\n# wandb: {address}/{run.entity}/{run.project}/runs/{run.name}\n"
        diary = during([app], github, TEN_MINUTES, lambda: _linked(github, link))
        ended(f"W&B, {kind}", diary, sqlite)
    assert diary.refused == 0
    pulls = list(here.store.pulls.values())[4:]
    assert all(_unread(pull) for pull in pulls), "the comment says what was not read"
    back = Wandb(port=int(address.rpartition(":")[2]))
    back.store.runs[run.entity, run.project, run.name] = run
    with back.serving():
        began = time.monotonic()
        eventually(lambda: not any(map(_unread, pulls)), seconds=LOOKED, what="runs were read")
        took = time.monotonic() - began
    assert all(len(pull.visible()) == 1 for pull in pulls)
    print(f"W&B, {kind}: all runs were read {took:.0f} s after it was back")  # noqa: T201


def _unread(pull: Pull) -> bool:
    return "was not read" in pull.visible()[0].body


def _linked(github: Installed, link: str) -> None:
    """From now on every script links to a run."""
    github.link = link


def test_sqlite_is_locked_for_a_minute(here: World, sqlite: Database, tmp_path: Path) -> None:
    github = install(here)
    app = AppProcess("both", "one", sqlite, tmp_path, more=github.environment())
    lockers: list[subprocess.Popen[bytes]] = []

    def lock() -> None:
        locker = subprocess.Popen(
            [sys.executable, "-c", LOCKER, str(sqlite.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        lockers.append(locker)
        assert locker.stdout is not None
        assert locker.stdout.readline() == b"locked\n"

    diary = during([app], github, MINUTE, lock)
    lockers[0].communicate()
    assert diary.refused > 0
    diary.again()
    ended("SQLite, locked", diary, sqlite)


def test_postgresql_is_stopped_for_a_minute(
    here: World, own_server: tuple[Database, Any], tmp_path: Path
) -> None:
    database, server = own_server
    github = install(here)
    web, worker = (
        AppProcess(role, role, database, tmp_path, more=github.environment())
        for role in ("web", "worker")
    )
    with kept_alive(web), kept_alive(worker):
        diary = during([web, worker], github, MINUTE, server.stop)
        assert diary.refused > 0
        server.ensure_postgres_running()
        end = time.monotonic() + MINUTE
        while diary.waiting and time.monotonic() < end:
            diary.again()
            time.sleep(1)
        assert not diary.waiting
        ended("PostgreSQL, stopped", diary, database)
