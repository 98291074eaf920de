"""Everything that the App's own OpenAPI description allows, and more, without a fault."""

from __future__ import annotations

import hashlib
import hmac
import json
import tempfile
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any
from unittest import SkipTest

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from bot.service.app import create_app
from bot.service.database import parse_database
from bot.service.metrics import Metrics
from bot.service.pages import pages
from bot.service.settings import ServiceSettings
from bot.service.verifications import Verifications
from bot.service.webhook import EVENTS, signature
from tests.profiles import scaled
from tests.service.payloads import comment, pull_request
from tests.service.server import SECRET, deliver, served
from tests.service.test_webhook import MemoryStore

if TYPE_CHECKING:
    # It takes long to import, and every process of the suite collects these tests.
    from schemathesis import Case

KEYS = (
    "action", "repository", "full_name", "sender", "login", "installation", "account", "id",
    "pull_request", "number", "head", "sha", "issue", "comment", "body", "user", "check_run",
)  # fmt: skip


@pytest.fixture(scope="module")
def app_client(tmp_path_factory: pytest.TempPathFactory) -> Any:
    database = parse_database(str(tmp_path_factory.mktemp("api") / "rlbot.sqlite"))
    verifications = Verifications(database)
    verifications.migrate()
    chosen = ServiceSettings(database=database, webhook_secrets=(SECRET,), app_id=7)
    app = create_app(chosen, MemoryStore(), Metrics())
    app.include_router(pages(verifications, server="https://github.com"))
    with served(app) as client:
        yield client
    verifications.close()


@cache
def described() -> dict[str, Any]:
    """The operations of the App's own description, by method and address."""
    import schemathesis

    with tempfile.TemporaryDirectory() as folder:
        chosen = ServiceSettings(database=parse_database(f"{folder}/db"), webhook_secrets=(SECRET,))
        app = create_app(chosen, MemoryStore(), Metrics())
        app.include_router(pages(Verifications(chosen.database), server="https://github.com"))
    schema = schemathesis.openapi.from_dict(app.openapi())
    operations: list[Any] = [one.ok() for one in schema.get_all_operations()]
    return {f"{one.method.upper()} {one.path}": one for one in operations}


ADDRESSES = (
    "POST /webhook",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /",
    "GET /reports/{report}.json",
    "GET /reports/{report}",
)


def test_the_description_names_every_address() -> None:
    assert set(described()) == set(ADDRESSES)


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_request_is_answered_with_a_fault(address: str, app_client: httpx.Client) -> None:
    from schemathesis import GenerationMode

    operation = described()[address]
    url = str(app_client.base_url).rstrip("/")

    @given(case=operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))
    @settings(max_examples=scaled(20), suppress_health_check=list(HealthCheck))
    def wrong(case: Case[Any]) -> None:
        assert case.call(base_url=url, timeout=300).status_code < 500

    @given(case=operation.as_strategy())
    @settings(max_examples=scaled(20), suppress_health_check=list(HealthCheck))
    def right(case: Case[Any]) -> None:
        assert case.call(base_url=url, timeout=300).status_code < 500

    right()
    with suppress(Unsatisfiable, SkipTest):  # Where nothing can be wrong.
        wrong()


@given(
    event=st.sampled_from(sorted(EVENTS)),
    payload=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYS), inner),
    ),
)
@settings(
    max_examples=scaled(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_signed_payloads_of_any_shape_are_taken_or_refused(
    event: str, payload: Any, app_client: httpx.Client
) -> None:
    assert deliver(app_client, event, payload).status_code in (202, 400)


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/metrics", "/style.css"])
def test_head_is_answered_like_get(app_client: httpx.Client, path: str) -> None:
    head, get = app_client.head(path), app_client.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == get.headers["content-type"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/webhook", "POST"),
        ("PUT", "/webhook", "POST"),
        ("POST", "/", "GET"),
        ("DELETE", "/healthz", "GET"),
        ("POST", "/reports/1", "GET"),
    ],
)
def test_other_methods_are_told_which_are_meant(
    app_client: httpx.Client, method: str, path: str, allowed: str
) -> None:
    answer = app_client.request(method, path)
    assert answer.status_code == 405
    assert allowed in answer.headers["allow"]


def test_what_is_not_there_is_a_page_for_people(app_client: httpx.Client) -> None:
    answer = app_client.get("/nowhere", headers={"Accept": "text/html,*/*;q=0.8"})
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    plain = app_client.get("/nowhere", headers={"Accept": "application/json"})
    assert plain.json() == {"status": "refused", "reason": "There is nothing at this address."}


def test_only_sha_256_counts(app_client: httpx.Client) -> None:
    body = json.dumps(pull_request()).encode()
    old = "sha1=" + hmac.new(SECRET.reveal().encode(), body, hashlib.sha1).hexdigest()
    new = signature(body, SECRET)
    for text in (None, old, "", "sha256=", new[:-1], new.upper(), new.removeprefix("sha256=")):
        headers = {"X-Hub-Signature": old, "X-Hub-Signature-256": text}
        assert deliver(app_client, "pull_request", body, headers=headers).status_code == 401, text
    other = {"X-Hub-Signature": old}
    assert deliver(app_client, "pull_request", body, headers=other).status_code == 202


@pytest.mark.parametrize("text", ["/verify \ud800", "/verify \x00", "/verify " + "𝒳" * 70_000])
def test_any_text_of_a_comment_can_be_stored(text: str, database: Any) -> None:
    from bot.service.events import read_event
    from bot.service.job import Job
    from bot.service.jobs import JobClient, migrate

    payload = json.loads(json.dumps(comment(text)))
    migrate(database)
    job = read_event("issue_comment", "d", payload)
    assert isinstance(job, Job)
    client = JobClient(database)
    try:
        assert client.submit_all([job, Job(**{**job.to_json(), "number": 13})]) == ["stored"] * 2
        status = client.show(job.id)
        assert status is not None
        assert status.job == job
    finally:
        client.close()
