"""A storm: contributors push, GitHub delivers late, twice and out of order, processes are killed.

The App's processes do their real work against GitHub's stand-in, which lives on through the kills.
Some kills come at any moment, the others right after something was written on GitHub and before
its answer arrives: what a process that comes back must find, and not write once more.
"""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from bot.base.secrets import Secret
from bot.service.events import read_event
from bot.service.job import Job, lane
from bot.service.jobs import JobClient
from tests.github.store import Pull, Store
from tests.github.world import BROKEN, GOOD, SCRIPT
from tests.service.app_process import AppProcess
from tests.service.installed import KEY as SECRET
from tests.service.installed import Installed
from tests.service.process import eventually
from tests.service.work import DiaryWork

KEY = Secret(SECRET)
WINDOWS = {
    "a comment": r"\A/graphql post_check\Z",
    "folding the old comment": r"\A/graphql minimize\Z",
}
"""What was just written when a process is killed, and its path; the reads of each have others."""
ORDER = ("a comment", None, "a comment", "folding the old comment", None)
"""What the kills follow, in turn; None comes at any moment, so that no moment is left out."""
PATIENCE = 10.0
"""Seconds that a kill waits for its window, before it comes at any moment instead."""
SEED = 7


def job_of(payload: dict[str, Any]) -> Job:
    """The job that a payload asks for."""
    job = read_event("pull_request", "d", payload)
    assert isinstance(job, Job)
    return job


@dataclass
class Storm:
    """What happened, for the judge."""

    github: Installed
    processes: Sequence[AppProcess]
    """The first one takes the webhooks."""
    wanted: set[str] = field(default_factory=set)
    """Ids of the jobs that GitHub told of."""
    sent: int = 0
    scripts: dict[int, bytes] = field(default_factory=dict)
    """The newest script of each pull request, by its number."""
    kills: Counter[str] = field(default_factory=Counter)
    """By what had just been written."""

    @property
    def diary(self) -> DiaryWork:
        """The steps that were begun."""
        return DiaryWork(self.processes[0].folder)


def storm(
    github: Installed,
    processes: Sequence[AppProcess],
    *,
    deliveries: int,
    kills: int,
    seconds: float,
) -> Storm:
    """Push and deliver for about `seconds`, and kill; returns when all was delivered."""
    chance = random.Random(SEED)  # noqa: S311
    done = Storm(github, processes)
    github.hook.url = f"http://127.0.0.1:{processes[0].port}/webhook"
    for process in processes:
        process.start()
    with ThreadPoolExecutor(8) as senders, ThreadPoolExecutor(1) as time_of_day:
        weather = time_of_day.submit(_weather, done, senders, deliveries, seconds, chance.random())
        for number in range(kills):
            time.sleep(chance.uniform(0.1, 1.0))
            window = ORDER[number % len(ORDER)]
            doomed = kill_after(done, window) if window else None
            done.kills[str(window) if doomed else "any moment"] += 1
            if doomed is None:
                doomed = chance.choice(processes)
                doomed.kill()
            doomed.start()
        for one in weather.result():
            one.result()
    return done


def _weather(
    done: Storm, senders: ThreadPoolExecutor, deliveries: int, seconds: float, seed: float
) -> list[Future[None]]:
    """Every delivery comes some time after its push, a fifth of them twice."""
    chance = random.Random(seed)  # noqa: S311
    step = seconds / deliveries
    lanes = max(5, deliveries // 5)
    numbers = [chance.randrange(lanes) if at >= lanes else at for at in range(deliveries)]
    acts = [(at * step, "push", at) for at in range(deliveries)]
    acts += [(at * step + chance.expovariate(0.5), "deliver", at) for at in range(deliveries)]
    twice = chance.sample(range(deliveries), deliveries // 5)
    acts += [(at * step + chance.expovariate(0.2), "deliver", at) for at in twice]
    payloads: dict[int, dict[str, Any]] = {}
    guids: dict[int, str] = {}
    waiting = []
    begin = time.monotonic()
    for moment, what, at in sorted(acts):
        time.sleep(max(0.0, begin + moment - time.monotonic()))
        if what == "push":
            payloads[at], guids[at] = push(done, numbers[at])
            continue
        waiting.append(senders.submit(_until_taken, done.github, payloads[at], guids[at]))
        done.sent += 1
        # The App's own webhook and a repository's tell of one act under two ids.
        guids[at] = chance.choice([guids[at], str(uuid.uuid4())])
    return waiting


def push(storm: Storm, number: int) -> tuple[dict[str, Any], str]:
    """One more commit, with a script of the other kind; the event that tells of it, and its id."""
    here, branch = storm.github.here, f"tuning-{number}"
    pulls: dict[str, Pull] = {pull.head_branch: pull for pull in here.store.pulls.values()}
    before = storm.scripts.get(pulls[branch].number) if branch in pulls else None
    kind = GOOD if before is None or b"train_batch_sizes" in before else BROKEN
    script = kind + f"# {len(storm.wanted)}\n{storm.github.link}".encode()
    with here.server.lock:
        if branch in pulls:
            here.push({SCRIPT: script}, branch=branch)
            pull = pulls[branch]
        else:
            pull = here.pull({SCRIPT: script}, branch=branch)
        storm.scripts[pull.number] = script
        payload = storm.github.payload(pull, "synchronize" if before else "opened")
    storm.wanted.add(job_of(payload).id)
    return payload, str(uuid.uuid4())


def _until_taken(github: Installed, payload: dict[str, Any], guid: str) -> None:
    """Deliver as GitHub's redeliveries do: under one id, until it was answered with a 2xx."""
    end = time.monotonic() + 300
    while github.hook.send("pull_request", payload, guid=guid).status >= 300:
        assert time.monotonic() < end, "a delivery was never taken"
        time.sleep(0.3)


def kill_after(storm: Storm, window: str, patience: float = PATIENCE) -> AppProcess | None:
    """Kill whoever writes next, right after it was written; None when nobody wrote in time."""
    server = storm.github.here.server
    found: list[AppProcess] = []
    happened = threading.Event()

    def now() -> None:
        writer = _writer(storm)
        if writer is None:
            return
        # Held by the stand-in before it answers: this is the window.
        writer.kill()
        found.append(writer)
        happened.set()

    armed = (WINDOWS[window], now)
    with server.lock:
        server.store.meanwhile.append(armed)
    happened.wait(patience)
    with server.lock:
        if armed in server.store.meanwhile:
            server.store.meanwhile.remove(armed)
    return found[0] if found else None


def _writer(storm: Storm) -> AppProcess | None:
    """The process whose request the stand-in answers: the one that publishes on its lane."""
    store = storm.github.here.store
    call = store.calls[-1]
    if "variables" in (call.body or {}):
        number = _pull_of(store, call.body["variables"])
    else:
        number = int(call.path.split("/")[-2])
    ours = lane(storm.github.here.base.full_name, number)
    pid = storm.diary.writer(ours)
    return next((p for p in storm.processes if p.process and p.process.pid == pid), None)


def _pull_of(store: Store, variables: Mapping[str, Any]) -> int:
    """The number of the pull request that a mutation is about; 0 where there is none."""
    asked = next((each for each in variables.values() if isinstance(each, dict)), variables)
    if "subjectId" in asked:
        return int(asked["subjectId"].rpartition("_")[2])
    comment = store.find_comment(int(asked["id"].removeprefix("IC_")))
    return comment.pull.number if comment else 0


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
        eventually(lambda one=one: _is_done(client, one), what=f"{one.id} after the kill")  # type: ignore[misc]
    took = time.monotonic() - killed
    go.unlink()
    status = client.show(job.id)
    assert status is not None
    assert status.worker == other.name
    return took


def _is_done(client: JobClient, job: Job) -> bool:
    status = client.show(job.id)
    return status is not None and status.state == "done"
