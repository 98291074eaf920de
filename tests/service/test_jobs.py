"""Jobs run once, in their lane, resume at the step, and end in a list when they cannot be done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.service.database import Database
from bot.service.job import Job, JsonObject, Transient
from bot.service.jobs import JobClient
from bot.service.retries import Retries
from bot.service.settings import ServiceSettings
from bot.service.worker import Worker
from tests.service.process import eventually, worker_process
from tests.service.work import DiaryWork, job


@contextmanager
def client_of(database: Database) -> Iterator[JobClient]:
    client = JobClient(database)
    try:
        yield client
    finally:
        client.close()


@contextmanager
def worker_of(
    database: Database, folder: Path, ended: list[tuple[str, str]]
) -> Iterator[DiaryWork]:
    work = DiaryWork(folder)
    worker = Worker(
        ServiceSettings(database=database, worker_id="w1"),
        work,
        retries=Retries(attempts=4, first_wait=0.05),
        ended=lambda job, outcome: ended.append((job.id, outcome)),
    )
    worker.start()
    try:
        yield work
    finally:
        worker.stop(patience=5)


def test_the_same_act_runs_once(database: Database, tmp_path: Path) -> None:
    ended: list[tuple[str, str]] = []
    with worker_of(database, tmp_path, ended) as work, client_of(database) as client:
        answers = [client.submit(job(1)) for _ in range(22)]
        assert answers == ["stored"] + ["known"] * 21
        # The engine stores the outcome after the job told of its end.
        eventually(lambda: _state(client, job(1)) == "done")
        assert len(ended) == 1
        assert client.submit(job(1)) == "known"
        assert work.diary() == [f"{step} {job(1).id}" for step in ("check", "publish")]
        status = client.show(job(1).id)
        assert status is not None
        assert (status.state, status.outcome, status.job) == ("done", "published", job(1))


class LimitedWork(DiaryWork):
    """GitHub limits every pull request above ten for a minute."""

    def check(self, job: Job) -> JsonObject:
        checked = super().check(job)
        if job.number > 10:
            raise Transient("GitHub limits the rate of requests.", wait=60.0)
        return checked


def test_jobs_that_wait_for_a_limit_do_not_hold_up_the_others(
    sqlite: Database, tmp_path: Path
) -> None:
    work, ended = LimitedWork(tmp_path), list[str]()
    limited = [job(number) for number in range(11, 21)]
    settings = ServiceSettings(database=sqlite, worker_id="w1", concurrency=2)
    worker = Worker(settings, work, ended=lambda _job, outcome: ended.append(outcome))
    worker.start()
    try:
        with client_of(sqlite) as client:
            client.submit_all(limited)
            eventually(lambda: len(work.diary()) == len(limited), what="all wait")
            client.submit(job(1))
            eventually(lambda: ended == ["published"])
            states = {one.state for one in client.jobs() if one.id != job(1).id}
            assert states == {"running"}
    finally:
        worker.stop(patience=5)


def test_no_more_jobs_act_at_once_than_there_are_places(sqlite: Database, tmp_path: Path) -> None:
    work, ended = DiaryWork(tmp_path), list[str]()
    settings = ServiceSettings(database=sqlite, worker_id="w1", concurrency=2)
    worker = Worker(settings, work, ended=lambda _job, outcome: ended.append(outcome))
    worker.start()
    try:
        with client_of(sqlite) as client:
            jobs = [job(number, milliseconds=50) for number in range(8)]
            # Of two repositories: one alone has half of the places.
            client.submit_all(
                [replace(one, repository=f"Owner/repo{n % 2}") for n, one in enumerate(jobs)]
            )
            eventually(lambda: len(ended) == 8)
    finally:
        worker.stop(patience=5)
    acting, most = 0, 0
    for mark, _ in work.spans():
        acting += 1 if mark == "begin" else -1
        most = max(most, acting)
    assert most == 2


def test_what_may_pass_is_tried_again_and_what_cannot_be_done_is_listed(
    database: Database, tmp_path: Path
) -> None:
    ended: list[tuple[str, str]] = []
    flaky, bad, hopeless = job(1, flaky=2), job(2, bad=1), job(3, flaky=99)
    with worker_of(database, tmp_path, ended) as work, client_of(database) as client:
        for one in (flaky, bad, hopeless):
            client.submit(one)
        eventually(lambda: len(ended) == 3)
        assert dict(ended) == {flaky.id: "published", bad.id: "failed", hopeless.id: "failed"}
        assert work.diary().count(f"check {bad.id}") == 1
        assert work.diary().count(f"check {hopeless.id}") == 4
        # The engine stores a fault after the job told of its end.
        eventually(lambda: client.counts()["failed"] == 2)
        failed = {status.id: status.error for status in client.jobs(["failed"])}
        assert failed[bad.id] == "ValueError: this job cannot be done"

        # GitHub delivers it once more: what failed runs again, what is done does not.
        assert client.submit(bad) == "again"
        assert client.submit(flaky) == "known"
        eventually(lambda: len(ended) == 4)
        assert work.diary().count(f"check {bad.id}") == 2


def test_a_lane_runs_one_job_at_a_time_and_drops_what_a_later_one_does(
    database: Database, tmp_path: Path
) -> None:
    ended: list[tuple[str, str]] = []
    with client_of(database) as client:
        with worker_of(database, tmp_path, ended):
            pass  # The engine's tables exist now, and nothing runs.
        for push in range(4):
            for number in (1, 2, 3):
                client.submit(job(number, f"push{push}", milliseconds=20))
    with worker_of(database, tmp_path, ended) as work:
        eventually(lambda: len(ended) == 12)
        assert sorted(outcome for _, outcome in ended) == ["published"] * 3 + ["superseded"] * 9
        assert {one for one, outcome in ended if outcome == "published"} == {
            job(number, "push3").id for number in (1, 2, 3)
        }
        running: set[str] = set()
        for mark, lane in work.spans():
            if mark == "begin":
                assert lane not in running
                running.add(lane)
            else:
                running.remove(lane)


def test_a_running_check_notices_a_later_one_before_it_publishes(
    database: Database, tmp_path: Path
) -> None:
    ended: list[tuple[str, str]] = []
    first, second = job(1, "first", block_in="check"), job(1, "second")
    with worker_of(database, tmp_path, ended) as work, client_of(database) as client:
        client.submit(first)
        eventually(lambda: f"check {first.id}" in work.diary())
        client.submit(second)
        (tmp_path / "go").touch()
        eventually(lambda: len(ended) == 2)
        assert ended == [(first.id, "superseded"), (second.id, "published")]
        assert f"publish {first.id}" not in work.diary()


def test_commands_are_never_superseded(database: Database, tmp_path: Path) -> None:
    ended: list[tuple[str, str]] = []
    command = Job(kind="command", repository="Owner/repo", number=1, meaning="77:now")
    with worker_of(database, tmp_path, ended), client_of(database) as client:
        client.submit(job(1, "first", milliseconds=100))
        client.submit(command)
        client.submit(job(1, "later"))
        eventually(lambda: len(ended) == 3)
        assert (command.id, "published") in ended


def test_a_killed_worker_goes_on_at_the_step_when_it_comes_back(
    database: Database, tmp_path: Path
) -> None:
    blocked = job(1, block_in="publish")
    work = DiaryWork(tmp_path)
    with client_of(database) as client:
        with worker_process(database, "w1", tmp_path) as process:
            client.submit(blocked)
            eventually(lambda: f"publish {blocked.id}" in work.diary())
            process.kill()
            process.wait()
        (tmp_path / "go").touch()
        with worker_process(database, "w1", tmp_path):
            eventually(lambda: _state(client, blocked) == "done")
    assert work.diary() == [f"{step} {blocked.id}" for step in ("check", "publish", "publish")]


def test_a_dead_workers_jobs_go_on_elsewhere_and_its_lanes_are_free(
    database: Database, tmp_path: Path
) -> None:
    blocked, behind = job(1, "first", block_in="check"), job(1, "behind")
    work = DiaryWork(tmp_path)
    with client_of(database) as client, worker_process(database, "w1", tmp_path) as doomed:
        client.submit(blocked)
        eventually(lambda: f"check {blocked.id}" in work.diary())
        with worker_process(database, "w2", tmp_path):
            doomed.kill()
            doomed.wait()
            (tmp_path / "go").touch()
            client.submit(behind)
            eventually(lambda: _state(client, blocked) == "done")
            eventually(lambda: _state(client, behind) == "done")
            status = client.show(blocked.id)
            assert status is not None
            assert status.worker == "w2"


def test_a_step_that_waits_does_not_hold_up_a_stop_and_goes_on_later(
    database: Database, tmp_path: Path
) -> None:
    flaky = job(1, flaky=1)
    ended: list[tuple[str, str]] = []
    work = DiaryWork(tmp_path)
    settings = ServiceSettings(database=database, worker_id="w1")
    worker = Worker(settings, work, retries=Retries(first_wait=300.0))
    worker.start()
    with client_of(database) as client:
        client.submit(flaky)
        eventually(lambda: work.diary() == [f"check {flaky.id}"])
        worker.stop(patience=20)
        # Had the stop waited for the step, there would be a second attempt.
        assert work.diary() == [f"check {flaky.id}"]
        assert _state(client, flaky) == "running"
        with worker_of(database, tmp_path, ended):
            eventually(lambda: _state(client, flaky) == "done")
    assert ended == [(flaky.id, "published")]


def test_a_stopped_worker_leaves_nothing_half_done(database: Database, tmp_path: Path) -> None:
    slow = job(1, milliseconds=300)
    with client_of(database) as client:
        with worker_process(database, "w1", tmp_path) as process:
            client.submit(slow)
            eventually(lambda: f"check {slow.id}" in DiaryWork(tmp_path).diary())
            process.terminate()
            assert process.wait(timeout=600) == 0
        assert _state(client, slow) == "done"


def test_old_jobs_are_purged_and_failed_ones_kept(database: Database, tmp_path: Path) -> None:
    ended: list[tuple[str, str]] = []
    with worker_of(database, tmp_path, ended), client_of(database) as client:
        client.submit(job(1))
        client.submit(job(2, bad=1))
        eventually(lambda: len(ended) == 2)
        eventually(lambda: client.counts()["running"] == 0)
        assert client.purge(older_than=3600) == 0
        assert client.purge(older_than=-5) == 1
        assert [status.state for status in client.jobs()] == ["failed"]
        assert client.purge(older_than=-5, states=["failed"]) == 1


def _state(client: JobClient, wanted: Job) -> str | None:
    status = client.show(wanted.id)
    return status.state if status else None


@pytest.mark.parametrize("lacking", ["head", "installation", "repository_id", "delivery", "detail"])
def test_a_job_that_another_release_stored_is_read(lacking: str) -> None:
    form = job(1).to_json()
    form.pop(lacking)
    assert Job.from_json({**form, "from_a_later_release": 1}).id == job(1).id
