"""The App as processes of its own, to be killed, stopped and refused.

Settings come from the environment as ever. With the App's credentials it does its real work,
written down in FOLDER besides; without them the work is written down instead of done.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import httpx

from bot.service.database import Database
from tests.command import ROOT
from tests.service.process import ServiceProcess
from tests.service.server import SECRET, fetched
from tests.service.work import DiaryWork, RecordedWork

if TYPE_CHECKING:
    from bot.service.job import Work
    from bot.service.metrics import Metrics
    from bot.service.settings import ServiceSettings


def main() -> None:
    """Serve or work (both, web, worker) until told to stop."""
    from bot.service import run
    from bot.service.settings import JOBS, read_settings
    from bot.service.work import make_work

    role, port, place, pace = sys.argv[1:]
    settings, folder = read_settings(os.environ), Path(place)
    if settings.app_id is None:
        mock.patch.object(run, "prepare").start()  # Nothing is read.

    def make(settings: ServiceSettings, metrics: Metrics) -> Work:
        if settings.app_id is None:
            return DiaryWork(folder)
        patience = replace(JOBS, between_writes=float(pace))
        return RecordedWork(folder, make_work(settings, metrics, patience))

    if role == "worker":
        run.work(settings, make)
        return
    run.serve(
        settings, host="127.0.0.1", port=int(port), make_work=make if role == "both" else None
    )


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


_STARTED: list[AppProcess] = []


def end_all() -> None:
    """Kill every process that still runs."""
    while _STARTED:
        _STARTED.pop().end()


@dataclass
class AppProcess:
    """One process of the App; `start` may be called again after it ended."""

    role: str
    name: str
    database: Database
    folder: Path
    port: int = field(default_factory=free_port)
    more: Mapping[str, str] = field(default_factory=dict)
    pace: float = 1.0
    """Seconds between two writes to GitHub."""
    process: ServiceProcess | None = None

    @property
    def log(self) -> Path:
        """What it said on either stream, over all its lives."""
        return self.folder / f"{self.name}.log"

    def start(self) -> None:
        """Start it, and wait until it is ready; it ends with the test at the latest."""
        _STARTED.append(self)
        with self.log.open("ab") as log:
            begin = log.tell()
            self.process = ServiceProcess(
                "tests.service.app_process:main",
                [self.role, str(self.port), str(self.folder), str(self.pace)],
                env={
                    **{k: v for k, v in os.environ.items() if not k.startswith("RLBOT_")},
                    "RLBOT_DATABASE_URL": self.database.url.replace("+psycopg", ""),
                    "RLBOT_WEBHOOK_SECRET": SECRET.reveal().replace(" ", "-"),
                    "RLBOT_WORKER_ID": self.name,
                    **self.more,
                },
                cwd=ROOT,
                streams=(subprocess.DEVNULL, log.fileno(), log.fileno()),
            )
        end = time.monotonic() + 600
        while not self._ready(begin):
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < end, self.log.read_text()
            time.sleep(0.05)

    def kill(self) -> None:
        """End it without a warning."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self, seconds: float = 600) -> int:
        """Ask it to end; returns its status."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(timeout=seconds)

    def end(self) -> None:
        """Kill it if it still runs."""
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def _ready(self, begin: int) -> bool:
        if self.role == "worker":
            return b'"working as ' in self.log.read_bytes()[begin:]
        try:
            return fetched(self.port, "/healthz").is_success
        except httpx.HTTPError:
            return False
