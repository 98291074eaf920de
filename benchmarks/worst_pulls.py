"""How the App answers while it reads ten pull requests of the worst known scripts.

    python -m benchmarks.worst_pulls

One process on SQLite, with its worker. Shown are the longest time that `/healthz` took, and how
long another repository's share of the worker let a plain pull request wait, alone and meanwhile.
The bounds: `/healthz` within 100 ms.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path

from bot.service.database import parse_database
from tests.github.server import Server
from tests.github.world import GOOD, SCRIPT, world
from tests.hostile.scripts import SCRIPTS
from tests.service.installed import new_key
from tests.service.test_whole_app import Running, running
from tests.service.test_worst_pulls import WORST

BOUND = 0.1
"""Seconds for `/healthz`."""
PULLS = 10


def main() -> int:
    """Print the figures; 1 when the bound is broken."""
    with (
        tempfile.TemporaryDirectory(prefix="worst") as folder,
        Server(Path(folder) / "github") as server,
    ):
        database = parse_database(str(Path(folder) / "rlbot.sqlite"))
        with running(world(server), new_key(), database) as app:
            _answered(app, "first", [GOOD])  # What is imported once.
            alone = _answered(app, "alone", [GOOD])
            slowest: list[float] = []
            done = threading.Event()
            watching = threading.Thread(target=_watch, args=(app, done, slowest))
            watching.start()
            worst = [SCRIPTS[WORST[number % len(WORST)]].encode() for number in range(PULLS)]
            meanwhile = _answered(app, "worst", [*worst, GOOD])
            done.set()
            watching.join()
    print(f"/healthz: {1000 * max(slowest):.0f} ms at most, {len(slowest)} times asked")
    print(f"a plain pull request: {alone:.1f} s alone, {meanwhile:.1f} s behind {PULLS} of them")
    return 1 if max(slowest) > BOUND else 0


def _answered(app: Running, name: str, scripts: list[bytes]) -> float:
    """Seconds until the last of new pull requests, one a script, has its answer."""
    before = len(app.ended)
    pulls = [
        app.here.pull({SCRIPT: script}, branch=f"{name}-{number}")
        for number, script in enumerate(scripts)
    ]
    for pull in pulls[:-1]:
        app.deliver(pull)
    begun = time.monotonic()
    app.deliver(pulls[-1])
    while not any(comment.body for comment in pulls[-1].comments):
        time.sleep(0.02)
    elapsed = time.monotonic() - begun
    app.wait(before + len(scripts))
    return elapsed


def _watch(app: Running, done: threading.Event, times: list[float]) -> None:
    while not done.is_set():
        begun = time.monotonic()
        app.client.get("/healthz")
        times.append(time.monotonic() - begun)
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit(main())
