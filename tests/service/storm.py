"""A storm of deliveries while processes are killed: nothing is lost, nothing done twice."""

from __future__ import annotations

import json
import random
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from bot.secret import Secret
from bot.service.database import Database
from bot.service.events import read_event
from bot.service.job import Job
from bot.service.jobs import JobClient
from tests.service.app_process import AppProcess
from tests.service.payloads import pull_request
from tests.service.process import eventually
from tests.service.server import SECRET, deliver
from tests.service.work import DiaryWork

KEY = Secret(SECRET.reveal().replace(" ", "-"))


def acts(count: int, lanes: int) -> list[dict[str, Any]]:
    """Pushes to pull requests, several to each."""
    return [
        pull_request(
            "synchronize",
            number=at % lanes + 1,
            head={"sha": f"{at:040x}"},
            updated_at=f"2026-11-21T{at // 3600 % 24:02d}:{at // 60 % 60:02d}:{at % 60:02d}Z",
        )
        for at in range(count)
    ]


def job_of(payload: dict[str, Any]) -> Job:
    """The job that a payload asks for."""
    job = read_event("pull_request", "d", payload)
    assert isinstance(job, Job)
    return job


def storm(
    processes: Sequence[AppProcess],
    database: Database,
    folder: Path,
    *,
    deliveries: int,
    kills: int,
    seed: int = 7,
) -> None:
    """Deliver, kill, wait, and look: the first process takes the webhooks."""
    chance = random.Random(seed)  # noqa: S311
    payloads = acts(deliveries, lanes=max(5, deliveries // 10))
    sent = payloads + chance.sample(payloads, deliveries // 5)
    chance.shuffle(sent)
    web = processes[0]
    for process in processes:
        process.start()
    try:
        with ThreadPoolExecutor(8) as pool, httpx.Client(timeout=12) as client:
            client.base_url = httpx.URL(f"http://127.0.0.1:{web.port}")
            waiting = [pool.submit(_until_taken, client, payload) for payload in sent]
            for _ in range(kills):
                time.sleep(chance.uniform(0.1, 1.0))
                doomed = chance.choice(processes)
                doomed.kill()
                doomed.start()
            for one in waiting:
                one.result()
        _judge(database, folder, [job_of(payload) for payload in payloads])
    finally:
        for process in processes:
            process.end()


def _until_taken(client: httpx.Client, payload: dict[str, Any]) -> None:
    """Deliver as GitHub's redeliveries do: under one id, until it was answered with a 2xx."""
    guid, end = str(uuid.uuid4()), time.monotonic() + 300
    body = json.dumps(payload).encode()
    while time.monotonic() < end:
        try:
            if deliver(client, "pull_request", body, delivery=guid, secret=KEY).is_success:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise AssertionError("a delivery was never taken")


def _judge(database: Database, folder: Path, wanted: list[Job]) -> None:
    client = JobClient(database)
    try:
        ids = {job.id for job in wanted}

        def done() -> set[str]:
            return {status.id for status in client.jobs(["done"], limit=None)}

        eventually(lambda: done() >= ids, seconds=240, what="lost: jobs that never ended")
        stored = client.jobs(limit=None)
    finally:
        client.close()
    assert {status.id for status in stored} == ids, "a delivery became two jobs"
    assert {status.outcome for status in stored} <= {"published", "superseded"}
    lanes: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for status in stored:
        assert status.job is not None
        lanes[status.job.lane].append((status.created, str(status.outcome)))
    # Of several stored in one millisecond any may be the last.
    for lane, ended in lanes.items():
        last = max(created for created, _ in ended)
        outcomes = [outcome for created, outcome in ended if created == last]
        assert "published" in outcomes, f"the last check of {lane} was dropped: {ended}"
    _not_repeated(DiaryWork(folder).diary())


def _not_repeated(diary: list[str]) -> None:
    """What had ended and was stored is not done again: no check after its publishing began."""
    publishing: set[str] = set()
    for line in diary:
        step, job = line.split(" ", 1)
        if step == "publish":
            publishing.add(job)
        else:
            assert job not in publishing, f"a finished step was repeated: {line}"


def takeover(
    doomed: AppProcess, other: AppProcess, client: JobClient, job: Job, behind: Job
) -> float:
    """Kill the worker that runs `job`; seconds until it and the one behind it are done elsewhere.

    `other` is started once the job runs, so that it is surely the doomed one's.
    """
    diary, go = DiaryWork(doomed.folder), doomed.folder / "go"
    client.submit(job)
    eventually(lambda: f"check {job.id}" in diary.diary(), what="the job began")
    other.start()
    doomed.kill()
    killed = time.monotonic()
    go.touch()
    client.submit(behind)
    for one in (job, behind):
        eventually(_done(client, one), what=f"{one.id} after the kill")
    took = time.monotonic() - killed
    go.unlink()
    status = client.show(job.id)
    assert status is not None
    assert status.worker == other.name
    return took


def _done(client: JobClient, job: Job) -> Callable[[], bool]:
    def look() -> bool:
        status = client.show(job.id)
        return status is not None and status.state == "done"

    return look
