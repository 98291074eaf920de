"""How the App answers while it reads ten pull requests of the worst known scripts.

    python -m benchmarks.worst_pulls

One process of the App on SQLite, web and worker, and a stand-in for GitHub beside it. Shown are the
longest time that `/healthz` took, and how long a plain pull request waited for its comment: alone,
and while ten bad ones of another repository, or of the same one, are read. The bounds: `/healthz`
within 100 ms, and a pull request of another repository within twice its usual time.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import httpx

from bot.service.database import parse_database
from tests.github.server import Server
from tests.github.store import Pull
from tests.github.world import GOOD, SCRIPT, World, world
from tests.hostile.scripts import SCRIPTS
from tests.service.app_process import AppProcess
from tests.service.installed import Installed, install
from tests.service.test_worst_pulls import WORST

BOUND = 0.1
"""Seconds for `/healthz`."""
TIMES = 2.0
"""The usual time of a pull request, for one of another repository."""
PULLS = 10
SCRIPTS_OF_ALL = [SCRIPTS[WORST[number % len(WORST)]].encode() for number in range(PULLS)]


def main() -> int:
    """Print the figures; 1 when a bound is broken."""
    with (
        tempfile.TemporaryDirectory(prefix="worst") as folder,
        Server(Path(folder) / "github") as server,
    ):
        github = install(world(server))
        other = _neighbour(github)
        database = parse_database(str(Path(folder) / "rlbot.sqlite"))
        app = AppProcess("both", "one", database, Path(folder), more=github.environment(), pace=0.0)
        app.start()
        github.hook.url = f"http://127.0.0.1:{app.port}/webhook"
        health = _Health(app.port)
        try:
            _deliver(github, "first", [GOOD])  # What is imported once.
            _deliver(other, "first", [GOOD])
            alone = max(_deliver(other, f"alone-{number}", [GOOD])[0] for number in range(3))
            health.start()
            meanwhile = _deliver(github, "worst", SCRIPTS_OF_ALL, (other, "beside"))
            same = _deliver(github, "again", SCRIPTS_OF_ALL, (github, "behind"))
        finally:
            health.stop()
            app.end()
    print(f"/healthz: {1000 * max(health.times):.0f} ms at most, {len(health.times)} times asked")
    print(f"a plain pull request: {alone:.1f} s alone")
    print(f"  {meanwhile[-1]:.1f} s while {PULLS} of another repository are read")
    print(f"  {same[-1]:.1f} s behind {PULLS} of its own repository")
    return 1 if max(health.times) > BOUND or meanwhile[-1] > TIMES * alone else 0


def _neighbour(github: Installed) -> Installed:
    """The same App in another repository of the same server."""
    here = github.here
    base = here.store.repository("elsewhere/verl")
    base.commit("main", {"README.md": "# verl\n"}, author="A <a@users.noreply.github.com>")
    there = World(here.server, base, here.store.fork(base, "bea-k"))
    return replace(github, here=there, installation=here.store.install(github.hook.app, base).id)


def _deliver(
    github: Installed,
    name: str,
    scripts: Sequence[bytes],
    plain: tuple[Installed, str] | None = None,
) -> list[float]:
    """Seconds until each new pull request, one a script, has its comment; last the plain one."""
    asked = [
        (github, github.here.pull({SCRIPT: script}, branch=f"{name}-{number}"))
        for number, script in enumerate(scripts)
    ]
    if plain:
        where, branch = plain
        asked.append((where, where.here.pull({SCRIPT: GOOD}, branch=branch)))
    begun: dict[int, float] = {}
    ended: dict[int, float] = {}
    for number, (where, pull) in enumerate(asked):
        begun[number] = time.monotonic()
        where.hook.send("pull_request", where.payload(pull, "opened"), guid=str(uuid.uuid4()))
    while len(ended) < len(asked):
        for number, (_, pull) in enumerate(asked):
            if number not in ended and _is_answered(pull):
                ended[number] = time.monotonic()
        time.sleep(0.02)
    return [ended[number] - begun[number] for number in range(len(asked))]


def _is_answered(pull: Pull) -> bool:
    return any(comment.body for comment in pull.comments)


class _Health:
    """Asks for the App's health, as a monitor does, and keeps how long each answer took."""

    def __init__(self, port: int) -> None:
        self.times: list[float] = []
        self._url = f"http://127.0.0.1:{port}/healthz"
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; the times are whole then."""
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        with httpx.Client() as client:
            while not self._done.wait(0.02):
                begun = time.monotonic()
                client.get(self._url, timeout=60).raise_for_status()
                self.times.append(time.monotonic() - begun)


if __name__ == "__main__":
    sys.exit(main())
