"""The endpoint: what is refused, what is stored, and what it says when it cannot store."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.base.errors import UserError
from bot.base.secrets import Secret
from bot.service.app import GitHubCheck, ReadinessCheck, create_app
from bot.service.database import parse_database
from bot.service.job import Job
from bot.service.metrics import Metrics
from bot.service.settings import ServiceSettings, read_settings
from bot.service.webhook import MAX_BODY, STORE_SECONDS
from tests.command import rlbot
from tests.service.payloads import comment, pull_request
from tests.service.server import SECRET, deliver, served

SETTINGS = ServiceSettings(
    database=parse_database("unused.sqlite"),
    webhook_secrets=(Secret("the one before this secret"), SECRET),
    app_id=7,
)


class MemoryStore:
    """Keeps jobs in a list, and fails or hangs when told to."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.failure: Exception | None = None
        self.hang: threading.Event | None = None

    def submit_all(self, jobs: Sequence[Job]) -> list[str]:
        self.ready()
        return [self._submit(job) for job in jobs]

    def _submit(self, job: Job) -> str:
        if job.id in {known.id for known in self.jobs}:
            return "known"
        self.jobs.append(job)
        return "stored"

    def ready(self) -> None:
        if self.hang is not None:
            self.hang.wait(60)
        if self.failure is not None:
            raise self.failure


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def client(store: MemoryStore) -> Iterator[httpx.Client]:
    with served(create_app(SETTINGS, store, Metrics())) as client:
        yield client


def test_without_a_secret_there_is_no_app(store: MemoryStore) -> None:
    bare = ServiceSettings(database=SETTINGS.database)
    with pytest.raises(UserError, match="RLBOT_WEBHOOK_SECRET is not set"):
        create_app(bare, store, Metrics())
    short = ServiceSettings(database=SETTINGS.database, webhook_secrets=(SECRET, Secret("x")))
    with pytest.raises(UserError, match="fewer than 16 characters"):
        create_app(short, store, Metrics())


def test_t5_forged_signatures_are_refused(client: httpx.Client, store: MemoryStore) -> None:
    body = json.dumps(pull_request()).encode()
    sha1 = "sha1=" + hmac.new(SECRET.reveal().encode(), body, hashlib.sha1).hexdigest()
    for signature in (
        None,
        "",
        sha1,
        "sha256=",
        "sha256=" + "0" * 64,
        hmac.new(SECRET.reveal().encode(), body, hashlib.sha256).hexdigest(),
    ):
        headers = {"X-Hub-Signature-256": signature, "X-Hub-Signature": sha1}
        answer = deliver(client, "pull_request", body, headers=headers)
        assert answer.status_code == 401, signature
    wrong = deliver(client, "pull_request", body, secret=Secret("not the secret of the App"))
    assert wrong.status_code == 401
    assert store.jobs == []


def test_t5_every_configured_secret_is_valid_while_one_is_rotated(client: httpx.Client) -> None:
    for secret in SETTINGS.webhook_secrets:
        assert deliver(client, "ping", {"zen": "x"}, secret=secret).status_code == 202


def test_t5_a_replayed_delivery_is_one_job(client: httpx.Client, store: MemoryStore) -> None:
    answers = [deliver(client, "pull_request", pull_request()).json() for _ in range(3)]
    assert [answer["status"] for answer in answers] == ["stored", "known", "known"]
    assert len(store.jobs) == 1


def test_what_asks_for_nothing_says_why(client: httpx.Client, store: MemoryStore) -> None:
    answer = deliver(client, "issue_comment", comment("nice work"))
    assert answer.status_code == 202
    assert answer.json() == {"status": "ignored", "reason": "The comment holds no command."}
    assert store.jobs == []


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"X-GitHub-Event": None}, 400),
        ({"X-GitHub-Delivery": None}, 400),
        ({"X-GitHub-Delivery": "../../x"}, 400),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content-Type": None}, 415),
    ],
)
def test_missing_or_wrong_headers(
    client: httpx.Client, headers: dict[str, str | None], code: int
) -> None:
    answer = deliver(client, "pull_request", pull_request(), headers=headers)
    assert answer.status_code == code
    assert answer.json()["status"] == "refused"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'"text"',
        b"[" * 100_000,
        b"[" * 500 + b"]" * 500,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"action": "opened", "number": ' + b"9" * 5_000 + b"}",
        b"NaN",
        b"\x00",
        b"\xef\xbb\xbf{}",
        b'{"action": "opened"}',
        json.dumps(pull_request(number=[1])).encode(),
        json.dumps(pull_request(updated_at=5)).encode(),
    ],
    ids=lambda body: repr(body[:24]),
)
def test_t17_bodies_of_another_shape_are_refused(
    client: httpx.Client, store: MemoryStore, body: bytes
) -> None:
    answer = deliver(client, "pull_request", body)
    assert answer.status_code == 400
    assert "Traceback" not in answer.text
    assert store.jobs == []


def test_t17_a_body_is_capped_before_it_is_hashed(client: httpx.Client) -> None:
    over = b"x" * (MAX_BODY + 1)
    assert deliver(client, "pull_request", over).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(MAX_BODY // (1 << 20) + 2):
            yield b"x" * (1 << 20)

    answer = client.post(
        "/webhook",
        content=endless(),
        headers={
            "Content-Type": "application/json",
            "X-GitHub-Event": "pull_request",
            "X-GitHub-Delivery": "d",
            "X-Hub-Signature-256": "sha256=" + "0" * 64,
        },
    )
    assert answer.status_code == 413


@pytest.mark.slow
def test_a_body_of_the_largest_size_is_read(client: httpx.Client) -> None:
    large = json.dumps(pull_request(body="x" * (MAX_BODY - 2_000))).encode()
    assert MAX_BODY - 2_000 < len(large) <= MAX_BODY
    assert deliver(client, "pull_request", large).status_code == 202


def test_what_cannot_be_stored_is_delivered_again(client: httpx.Client, store: MemoryStore) -> None:
    store.failure = OSError("database is locked")
    answer = deliver(client, "pull_request", pull_request())
    assert answer.status_code == 503
    assert "locked" not in answer.text
    store.failure = None
    assert deliver(client, "pull_request", pull_request()).json()["status"] == "stored"


def test_a_database_that_hangs_is_answered_before_github_gives_up(
    client: httpx.Client, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert STORE_SECONDS < 10
    monkeypatch.setattr("bot.service.webhook.STORE_SECONDS", 0.01)
    store.hang = threading.Event()
    try:
        answer = deliver(client, "pull_request", pull_request())
        assert answer.status_code == 503
        # What needs no database still answers.
        assert client.get("/healthz").text == "ok\n"
    finally:
        store.hang.set()


def test_readiness_names_what_is_down(store: MemoryStore) -> None:
    def no_key() -> None:
        raise UserError("The App's private key is not set.")

    app = create_app(SETTINGS, store, Metrics(), checks=(ReadinessCheck("github", no_key),))
    with served(app) as client:
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json() == {
            "ready": False,
            "checks": {"database": "ok", "github": "The App's private key is not set."},
        }


def test_a_github_that_hangs_takes_one_thread_of_the_probes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, ended, looks = threading.Event(), threading.Event(), list[int]()

    def hang(_check: GitHubCheck) -> None:
        looks.append(1)
        began.set()
        ended.wait()

    monkeypatch.setattr(GitHubCheck, "_look", hang)
    check = GitHubCheck(SETTINGS)
    first = threading.Thread(target=check)
    first.start()
    try:
        began.wait()
        check()  # What was known before is believed for a while.
        monkeypatch.setattr("bot.service.app.READY_SECONDS", 0)
        with pytest.raises(UserError, match="GitHub has yet to answer"):
            check()
    finally:
        ended.set()
        first.join()
    check()
    assert looks == [1]


def test_that_github_cannot_be_reached_is_believed_briefly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers: list[Exception | None] = [UserError("GitHub is down."), None]
    now = [1000.0]
    monkeypatch.setattr("bot.service.app.time.monotonic", lambda: now[0])
    monkeypatch.setattr(GitHubCheck, "_look", lambda _check: answers.pop(0))
    check = GitHubCheck(SETTINGS)
    for later in (0, 4):
        now[0] = 1000.0 + later
        with pytest.raises(UserError, match="is down"):
            check()
    for later in (6, 60):
        now[0] = 1000.0 + later
        check()
    assert answers == []


def test_figures_are_prometheus(client: httpx.Client) -> None:
    deliver(client, "pull_request", pull_request())
    deliver(client, "invented" * 10, pull_request())
    text = client.get("/metrics").text
    assert 'rlbot_deliveries_total{answer="202",event="pull_request"} 1.0' in text
    assert 'rlbot_deliveries_total{answer="202",event="other"} 1.0' in text
    assert "Owner" not in text


def test_no_page_describes_the_endpoints_to_strangers(client: httpx.Client) -> None:
    for path in ("/docs", "/redoc"):
        assert client.get(path).status_code == 404


def settings_of(**environment: str) -> Any:
    return read_settings(environment)


@pytest.mark.parametrize("quoted", ["{}", '"{}"'], ids=["as it is", "as Docker passes it"])
def test_settings_come_from_the_environment(tmp_path: Any, quoted: str) -> None:
    key = tmp_path / "key.pem"
    key.write_text("-----BEGIN-----\nx\n")
    settings = settings_of(
        RLBOT_WEBHOOK_SECRET=quoted.format("one-secret-of-sixteen another-of-sixteen"),
        RLBOT_APP_ID="7",
        RLBOT_PRIVATE_KEY_FILE=str(key),
        RLBOT_DATABASE_URL="postgresql://u:p@h/d",
    )
    assert [secret.reveal() for secret in settings.webhook_secrets] == [
        "one-secret-of-sixteen",
        "another-of-sixteen",
    ]
    assert settings.private_key.reveal() == "-----BEGIN-----\nx\n"
    assert settings.database.url == "postgresql+psycopg://u:p@h/d"
    assert settings.database.shown == "postgresql://u:***@h/d"
    assert "sixteen" not in repr(settings)


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"RLBOT_APP_ID": "x"}, "RLBOT_APP_ID must be a whole number from 1 to 9"),
        ({"RLBOT_APP_ID": "9" * 5_000}, 'it is "9999'),
        ({"RLBOT_CONCURRENCY": "257"}, "RLBOT_CONCURRENCY must be a whole number from 1 to 256;"),
        ({"RLBOT_RETENTION_DAYS": "0"}, "RLBOT_RETENTION_DAYS must be a whole number from 1 to"),
        ({"RLBOT_PRIVATE_RUNS": "maybe"}, 'RLBOT_PRIVATE_RUNS must be "yes" or "no"'),
        ({"RLBOT_PUBLIC_URL": "rlbot.example.org"}, "RLBOT_PUBLIC_URL must be an address"),
        ({"RLBOT_DATABASE_URL": "postgresql://u:p@h:port/d"}, "The database URL is not of the"),
        ({"RLBOT_PRIVATE_KEY_FILE": "/nowhere/key"}, "/nowhere/key cannot be read"),
        ({"RLBOT_DATABASE_URL": "mysql://x"}, "The database URL has the scheme mysql"),
    ],
)
def test_wrong_settings_are_sentences(environment: dict[str, str], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        settings_of(**environment)
    assert sentence in str(caught.value)


def test_all_that_is_wrong_is_named_at_once() -> None:
    wrong = {
        "RLBOT_APP_ID": "seven",
        "RLBOT_PRIVATE_KEY_FILE": "/nowhere/key",
        "RLBOT_DATABASE_URL": "mysql://x",
        "RLBOT_CONCURRENCY": "many",
        "RLBOT_PUBLIC_URL": "x",
        "GITHUB_API_URL": "http://github.example.org",
    }
    with pytest.raises(UserError) as caught:
        read_settings(wrong, webhooks=True, github=True)
    said = str(caught.value)
    for name in (*wrong, "RLBOT_WEBHOOK_SECRET"):
        assert said.count(name.removeprefix("RLBOT_DATABASE_URL") or "scheme mysql") == 1, name


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({}, "RLBOT_APP_ID and RLBOT_PRIVATE_KEY_FILE are needed"),
        ({"RLBOT_APP_ID": "7", "RLBOT_PRIVATE_KEY": "x"}, "no RSA private key in PEM form"),
        ({"WANDB_BASE_URL": "http://wandb.example.com"}, "WANDB_BASE_URL must begin with https"),
    ],
)
def test_what_a_worker_needs_is_asked_for(environment: dict[str, str], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        read_settings(environment, github=True)
    assert sentence in str(caught.value)
    assert "RLBOT_WEBHOOK_SECRET" not in str(caught.value)


@pytest.mark.process
@pytest.mark.parametrize("command", ["serve", "worker"])
def test_wrong_settings_are_named_before_the_database_is_touched(
    tmp_path: Path, command: str
) -> None:
    environment = {
        "RLBOT_DATABASE_URL": str(tmp_path / "folder" / "rlbot.sqlite"),
        "RLBOT_WEBHOOK_SECRET": SECRET.reveal().replace(" ", "-"),
        "RLBOT_APP_ID": "7",
        "RLBOT_PRIVATE_KEY": "no key",
        "RLBOT_CONCURRENCY": "0",
    }
    done = rlbot(command, cwd=tmp_path, environment=environment)
    assert done.status == 2
    assert "RLBOT_CONCURRENCY must be" in done.err
    assert "no RSA private key" in done.err
    assert list(tmp_path.iterdir()) == []
