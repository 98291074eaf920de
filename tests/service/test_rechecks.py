"""A run that W&B could not give is looked for again without a hand, later and later."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.check.request import CheckOptions
from bot.evidence.facts import EvidenceError
from bot.evidence.online import Access, read_online
from bot.evidence.online.bounds import Bounds
from bot.review.check import CheckRequest
from bot.service.database import Database
from bot.service.job import Job, JsonObject
from bot.service.jobs import JobClient, migrate
from bot.service.rechecks import WAITS, command_of, next_recheck, watched, watching
from bot.service.settings import ServiceSettings
from bot.service.worker import Worker
from tests.conftest import WrittenRun
from tests.evidence.samples import MATCHING
from tests.github.runner import comment_event
from tests.github.store import Account, Pull
from tests.github.world import GOOD, SCRIPT, World
from tests.service.process import eventually
from tests.service.test_whole_app import Running, running, shown
from tests.service.work import job
from tests.wandb_server.faults import Fault
from tests.wandb_server.server import Wandb
from tests.wandb_server.upload import sync


def looks_of(first: Job, result: JsonObject | None = None) -> list[tuple[Job, float]]:
    found, at = [], next_recheck(first, result or {})
    while at is not None:
        found.append(at)
        at = next_recheck(at[0], {})
    return found


def test_looks_come_later_and_later_and_end() -> None:
    looks = looks_of(job(1, "opened:abc:2026"))
    assert [wait for _, wait in looks] == list(WAITS) == sorted(WAITS)
    assert 20 * 3_600 < sum(WAITS) < 26 * 3_600
    # A quarter of an hour without W&B costs no more than ten minutes beyond it.
    assert any(900 <= sum(WAITS[:count]) <= 1_500 for count in range(len(WAITS)))
    names = [one.meaning for one, _ in looks]
    assert names[:2] == ["look1:opened:abc:2026", "look2:opened:abc:2026"]
    assert len(set(names)) == len(names)
    assert {one.lane for one, _ in looks} == {job(1).lane}


def test_a_command_looks_again_for_the_run_that_it_named() -> None:
    detail: dict[str, str | int | None] = {"body": "/verify", "author": "ada", "check_run": 3}
    command = Job(kind="command", repository="a/b", number=1, meaning="comment:1", detail=detail)
    named = {"link": "https://wandb.ai/a/b/runs/c", "script": None}
    looks = looks_of(command, {"head": "a" * 40, "named": named})
    assert [wait for _, wait in looks] == list(WAITS)
    for count, (look, _) in enumerate(looks, 1):
        assert (look.kind, look.meaning) == ("check", f"look{count}:comment:1")
        assert look.head == "a" * 40
        assert look.detail == {**named, "look": count}
        found = command_of(look)
        assert found is not None
        assert (found.link, found.script) == (named["link"], None)
    assert command_of(command) is None
    assert command_of(looks_of(job(1))[0][0]) is None


@pytest.mark.parametrize(("passing", "missed"), [(True, 1), (False, 0)])
def test_what_cannot_pass_is_not_looked_for_again(passing: bool, missed: int) -> None:
    from bot.evidence.links import parse_link

    def read(_link: object) -> object:
        raise EvidenceError("No.", passing=passing)

    reading = watched(read)  # type: ignore[arg-type]
    with watching() as links, pytest.raises(EvidenceError) as caught:
        reading(parse_link("https://wandb.ai/a/b/runs/c"))
    assert len(links) == missed
    again = " rlbot looks again by itself: in some minutes, and for a day."
    assert str(caught.value) == "No." + again * missed
    with watching(again=False) as links, pytest.raises(EvidenceError, match=r"No\.\Z"):
        reading(parse_link("https://wandb.ai/a/b/runs/c"))
    assert len(links) == missed
    with pytest.raises(EvidenceError, match=r"No\.\Z"):
        reading(parse_link("https://wandb.ai/a/b/runs/c"))


def test_a_delayed_look_takes_no_place_of_a_newer_push(sqlite: Database) -> None:
    migrate(sqlite)
    client = JobClient(sqlite)
    try:
        client.submit(job(1, "synchronize"))
        client.submit_all([job(1, "look1:opened")], after=600)
        assert not client.later_check_waits(job(1, "synchronize"))
        states = {one.id: one.state for one in client.jobs()}
        assert set(states.values()) == {"waiting"}
    finally:
        client.close()


def test_a_look_gives_way_to_one_that_was_stored_later(sqlite: Database) -> None:
    migrate(sqlite)
    client = JobClient(sqlite)
    try:
        older, newer = job(1, "look3:opened", look=3), job(1, "look1:comment", look=1)
        client.submit_all([older], after=600)
        time.sleep(1.1)  # The engine stores whole seconds.
        client.submit_all([newer, job(12, "look1:opened", look=1)], after=60)
        assert client.later_recheck_waits(older)
        assert not client.later_recheck_waits(newer)
    finally:
        client.close()


@contextmanager
def with_wandb(
    here: World,
    key: rsa.RSAPrivateKey,
    sqlite: Database,
    wandb: Wandb,
    *,
    waits: Sequence[float] = (0.5, *[2.0] * 30),
) -> Iterator[Running]:
    """The App, which reads runs of a stand-in and looks again soon."""
    access = Access.from_environment({"WANDB_BASE_URL": wandb.url})
    bounds = Bounds(stall_seconds=10.0, retry_seconds=0.2)
    wanted = CheckRequest(
        options=lambda config: CheckOptions(
            config=config,
            evidence="required",
            linked=watched(lambda link: read_online(link, access, bounds=bounds)),
            hosts=access.run_hosts(),
        )
    )
    with running(here, key, sqlite, wanted, rechecks=waits) as app:
        yield app


def say(app: Running, pull: Pull, author: Account, text: str) -> None:
    """A comment, delivered."""
    comment = app.here.store.comment(pull, author, text)
    payload = {**comment_event(app.here, comment), "installation": {"id": app.installation}}
    assert app.hook.send("issue_comment", payload).status == 202


def ours(pull: Pull) -> str:
    """The App's comment."""
    (body,) = [body for body in shown(pull) if not body.startswith("/verify")]
    return body


def test_the_verdict_follows_when_wandb_is_back(
    here: World, key: rsa.RSAPrivateKey, sqlite: Database, written: WrittenRun
) -> None:
    with Wandb().serving() as wandb:
        run = sync(wandb, written(MATCHING))
        wandb.faults.append(Fault("status", status=503))
        with with_wandb(here, key, sqlite, wandb) as app:
            script = GOOD + f"\n# wandb: {wandb.link(run.name)}\n".encode()
            pull = app.here.pull({SCRIPT: script})
            app.deliver(pull)
            app.wait(2)
            (body,) = shown(pull)
            assert "was not read" in body
            wandb.faults.clear()
            eventually(lambda: "was not read" not in shown(pull)[0], what=shown(pull)[0])
            # What was read needs no further look.
            eventually(lambda: {one.state for one in app.jobs.jobs()} == {"done"})
            assert {outcome for _, outcome in app.ended} == {"published"}
            assert [name for name, _ in app.ended[:3]] == ["opened", "look1", "look2"]
            assert len(app.ended) < 1 + 31
            assert len(shown(pull)) == 1


@pytest.mark.parametrize(
    "fault",
    [
        Fault("status", status=503),
        Fault("status", status=429, headers={"Retry-After": "3600"}),
        Fault("drop"),
    ],
    ids=["503", "429", "closed"],
)
def test_the_verdict_of_a_command_follows_when_wandb_is_back(
    here: World, key: rsa.RSAPrivateKey, sqlite: Database, written: WrittenRun, fault: Fault
) -> None:
    """A maintainer names the run: neither the script nor the author's words do."""
    with Wandb().serving() as wandb:
        run = sync(wandb, written(MATCHING))
        with with_wandb(here, key, sqlite, wandb) as app:
            pull = app.here.pull({SCRIPT: GOOD})
            app.deliver(pull)
            app.wait(1)
            wandb.faults.append(fault)
            say(app, pull, app.here.store.account("maintainer"), f"/verify {wandb.link(run.name)}")
            app.wait(2)
            assert "was not read" in ours(pull)
            assert "rlbot looks again by itself" in ours(pull)
            wandb.faults.clear()
            # Between a new comment and the folding of the old one, two are shown.
            eventually(lambda: not any("was not read" in body for body in shown(pull)))
            assert run.name in ours(pull)
            eventually(lambda: {one.state for one in app.jobs.jobs()} == {"done"})
            assert {outcome for _, outcome in app.ended} == {"published"}


def test_a_look_of_a_command_ends_at_another_commit(
    here: World, key: rsa.RSAPrivateKey, sqlite: Database, written: WrittenRun
) -> None:
    with Wandb().serving() as wandb:
        run = sync(wandb, written(MATCHING))
        wandb.faults.append(Fault("status", status=503))
        with with_wandb(here, key, sqlite, wandb) as app:
            pull = app.here.pull({SCRIPT: GOOD})
            say(app, pull, app.here.store.account("maintainer"), f"/verify {wandb.link(run.name)}")
            app.wait(1)
            app.here.push({SCRIPT: GOOD + b"\n# changed\n"})
            eventually(lambda: any(end == "superseded" for _, end in app.ended))
            eventually(lambda: {one.state for one in app.jobs.jobs()} == {"done"})


class Ended:
    """Work that ends in one way."""

    def __init__(self, result: JsonObject) -> None:
        self._result = result

    def check(self, _job: Job) -> JsonObject:
        return {"checked": True}

    def publish(self, _job: Job, _checked: JsonObject) -> JsonObject:
        return self._result


@pytest.mark.parametrize(
    ("ended", "superseded"),
    [
        # What an unread run, a failed check or a refused command leaves is still to be looked for.
        ({"outcome": "published", "unread": True}, False),
        ({"outcome": "published", "unread": None}, False),
        ({"outcome": "refused"}, False),
        ({"outcome": "published", "unread": False}, True),
    ],
)
def test_a_look_gives_way_to_what_was_read_later(
    sqlite: Database, ended: JsonObject, superseded: bool
) -> None:
    migrate(sqlite)
    client = JobClient(sqlite)
    looks = [job(number, "look1:opened", look=1) for number in (1, 12)]
    worker = Worker(ServiceSettings(database=sqlite, worker_id="w1"), Ended(ended), rechecks=())
    worker.start()
    try:
        for stored in ([job(1, "before")], looks, [job(1, "after")]):
            client.submit_all(stored, after=600 if stored is looks else 0)
            eventually(lambda: client.counts()["waiting"] in (0, len(looks)))
            time.sleep(1.1)  # The engine stores whole seconds.
        assert [client.read_since(look) for look in looks] == [superseded, False]
    finally:
        worker.stop(patience=5)
        client.close()


def test_a_look_of_a_push_spares_the_verdict_of_a_later_command(
    here: World, key: rsa.RSAPrivateKey, sqlite: Database, written: WrittenRun
) -> None:
    with Wandb().serving() as wandb:
        run = sync(wandb, written(MATCHING))
        wandb.faults.append(Fault("status", status=503))
        with with_wandb(here, key, sqlite, wandb, waits=(600.0,)) as app:
            script = GOOD + f"\n# wandb: {wandb.link('gone1234')}\n".encode()
            pull = app.here.pull({SCRIPT: script})
            app.deliver(pull)
            app.wait(1)
            assert "was not read" in ours(pull)
            wandb.faults.clear()
            time.sleep(1.1)  # The engine stores whole seconds.
            say(app, pull, app.here.store.account("maintainer"), f"/verify {wandb.link(run.name)}")
            app.wait(2)
            (look,) = app.jobs.jobs(["waiting"])
            app.jobs.resume([look.id])
            app.wait(3)
            assert [outcome for _, outcome in app.ended] == ["published", "published", "superseded"]
            eventually(lambda: sum(not body.startswith("/verify") for body in shown(pull)) == 1)
            assert run.name in ours(pull)
