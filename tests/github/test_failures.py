"""What GitHub's refusals and outages come to: a sentence each, and no more than is lost."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from github import GithubException

from bot.base.errors import UserError
from bot.base.secrets import Secret
from bot.github.addresses import Addresses
from bot.github.answer import answer_of
from bot.github.client import Client, Patience
from bot.github.command_comment import reply
from bot.github.errors import (
    GitHubError,
    LimitedError,
    NotAllowedError,
    NotFoundError,
    RefusedError,
    UnreachableError,
)
from bot.github.failures import of_answer
from bot.github.publish import Channels, publish
from bot.github.pull import PullId, read_pull
from bot.github.remote import read_change
from bot.render.markdown import MARKER
from bot.review.pull import answer_pull
from tests.github.store import READ_ONLY, Fault
from tests.github.world import BROKEN, GOOD, QUICK, SCRIPT, World, asked
from tests.render.factories import CHANGE, finding, good, report

URL = "https://github.com/verl-project/verl/pull/1"
PULL = PullId("verl-project/verl", 1)
COMMENTS = "/repos/verl-project/verl/issues/1/comments"
POST = "/graphql post"
NOT_FOUND = {"errors": [{"type": "NOT_FOUND", "message": "no"}]}


def _message(text: str, **more: object) -> dict[str, object]:
    return {"message": text, "documentation_url": "https://docs.github.com/rest", **more}


def test_the_log_says_what_github_answered_to_the_signing_in(
    here: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise GithubException(503, {}, {})

    caplog.set_level("INFO")
    client = here.client()
    monkeypatch.setattr("github.Requester.Requester.requestJson", refused)
    with pytest.raises(UnreachableError):
        client.get("/app")
    assert "GET /app: signing in was answered 503 in " in caplog.text


@pytest.mark.parametrize("number", ["²", "9" * 30, "9" * 5_000, "-1", "1.5", "soon"])
@pytest.mark.parametrize("header", ["retry-after", "x-ratelimit-reset"])
@pytest.mark.parametrize("status", [403, 429, 503])
def test_a_time_that_is_none_is_no_fault(number: str, header: str, status: int) -> None:
    headers = {header: number, "x-ratelimit-remaining": "0"}
    error = of_answer(status, headers, _message("rate limit"), "/user")
    assert error.wait is None or 0 < error.wait <= 366 * 86_400
    assert str(error).startswith("GitHub ")


@pytest.mark.parametrize(
    ("status", "body", "headers", "kind", "sentence"),
    [
        (401, _message("Bad credentials"), {}, NotAllowedError, "does not accept the token"),
        (
            403,
            _message("Resource not accessible by integration"),
            {},
            NotAllowedError,
            "The token may not do this here. Pull requests from forks get a read-only token",
        ),
        (
            403,
            _message("Resource not accessible by personal access token"),
            {},
            NotAllowedError,
            "The personal access token may not do this here",
        ),
        (
            403,
            _message("Repository was archived so is read-only."),
            {},
            NotAllowedError,
            "The repository is archived, so nothing can be written to it",
        ),
        (
            403,
            _message("Resource protected by organization SAML enforcement."),
            {},
            NotAllowedError,
            "authorise the token for it in your settings",
        ),
        (
            403,
            _message("Unable to create comment because issue is locked."),
            {},
            NotAllowedError,
            "lets nobody write here: Unable to create comment because issue is locked",
        ),
        (403, _message("Something new"), {}, NotAllowedError, "may not do .*: Something new"),
        (404, _message("Not Found"), {}, NotFoundError, "has no .*, or the token may not see it"),
        (410, _message("Issues are disabled"), {}, NotFoundError, "GitHub has no"),
        (
            422,
            _message("Validation Failed", errors=[{"field": "body", "code": "too_long"}]),
            {},
            RefusedError,
            "refused .* with status 422: Validation Failed: body too_long",
        ),
        (422, _message("No", errors=["a sentence"]), {}, RefusedError, "No: a sentence"),
        (500, None, {}, UnreachableError, "answered with status 500; it may be down"),
        (502, "<html>Unicorn!</html>", {}, UnreachableError, "answered with status 502"),
        (503, _message("No server"), {"Retry-After": "0"}, UnreachableError, "status 503"),
        (200, "<html>a proxy</html>", {}, UnreachableError, "answered with status 502"),
        (
            429,
            _message("Too many requests"),
            {"Retry-After": "7200"},
            LimitedError,
            "limits the rate of requests until .* UTC.*longer than rlbot waits",
        ),
        (
            403,
            _message("You have exceeded a secondary rate limit."),
            {},
            LimitedError,
            "too much at once. That is 60 s",
        ),
    ],
)
def test_each_refusal_is_a_sentence(
    here: World,
    status: int,
    body: object,
    headers: dict[str, str],
    kind: type[GitHubError],
    sentence: str,
) -> None:
    here.pull({SCRIPT: GOOD})
    here.store.faults.append(Fault("POST", COMMENTS, status, body, headers, times=99))
    client = here.client()
    with pytest.raises(kind, match=sentence) as raised:
        client.write("POST", COMMENTS, {"body": "word"})
    text = str(raised.value)
    assert text.endswith(".")
    assert client.secrets[0].reveal() not in text


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_an_outage_that_ends_is_waited_out(here: World, status: int) -> None:
    pull = here.pull({SCRIPT: GOOD})
    for path in ("/graphql pull", POST, "/check-runs", "/graphql comments"):
        here.store.faults += [Fault("POST", path, status, None), Fault("GET", path, status, None)]
    done = answer_pull(read_change(here.client(), PULL), asked())
    assert done.published.notes == []
    assert len(pull.visible()) == 1


def test_a_comment_whose_answer_was_lost_is_not_doubled(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    here.store.faults.append(Fault("POST", POST, 502, None, after=True))
    done = answer_pull(read_change(here.client(), PULL), asked())
    assert [MARKER in comment.body for comment in pull.comments] == [True]
    assert done.published.notes == []
    assert done.published.comment_url == f"{URL}#issuecomment-{pull.comments[0].id}"


def test_a_reply_whose_answer_was_lost_is_not_doubled(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    here.store.faults.append(Fault("POST", POST, 502, None, after=True))
    reply(here.client(), PULL, "Not for you.", to="7")
    assert [comment.body.partition("\n")[0] for comment in pull.comments] == ["Not for you."]


@pytest.mark.parametrize("notes", [0, 120])
def test_a_check_run_whose_answer_was_lost_is_not_doubled(here: World, notes: int) -> None:
    pull = here.pull({SCRIPT: GOOD})
    found = tuple(finding(f"finding {n}", path=SCRIPT, line=n + 1) for n in range(notes))
    one = replace(good(SCRIPT), findings=found, page_edit=None)
    made = replace(report(one), change=replace(CHANGE, head=pull.head))
    answer = answer_of(made, touches=True, sources={})
    here.store.faults.append(Fault("POST", "/check-runs$", 502, None, after=True))
    done = publish(here.client(), PULL, answer, Channels(comment=False))
    assert (done.notes, done.annotated) == ([], True)
    (run,) = here.store.checks
    assert (run.status, run.conclusion, len(run.annotations)) == ("completed", "success", notes)


def test_a_check_run_that_was_lost_on_its_way_is_posted_again(here: World) -> None:
    here.pull({SCRIPT: GOOD})
    here.store.faults.append(Fault("POST", "/check-runs$", 502, None))
    answer_pull(read_change(here.client(), PULL), asked())
    assert [run.status for run in here.store.checks] == ["completed"]


def test_a_comment_that_is_refused_does_not_keep_the_check_run_away(here: World) -> None:
    here.pull({SCRIPT: BROKEN})
    here.store.faults.append(Fault("POST", POST, 422, _message("spammy"), times=9))
    done = answer_pull(read_change(here.client(), PULL), asked())
    assert [run.conclusion for run in here.store.checks] == ["failure"]
    assert done.published.notes == [
        f"The comment was not posted: GitHub refused {POST} with status 422: spammy."
    ]


def test_a_comment_that_goes_away_meanwhile_is_written_anew(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    token = here.store.workflow_token(here.base)
    answer_pull(read_change(here.client(token), PULL), asked())
    here.push({SCRIPT: BROKEN + b"# more\n"})
    gone = Fault("POST", "/graphql edit", 200, NOT_FOUND)
    here.store.faults.append(gone)
    answer_pull(read_change(here.client(token), PULL), asked())
    assert gone.times == 0
    assert len(pull.visible()) == 1


def test_a_limit_that_is_short_is_waited_for_and_a_long_one_is_not(here: World) -> None:
    here.pull({SCRIPT: GOOD})
    token = here.store.workflow_token(here.base)
    identity = here.store.tokens[token]
    waits: list[float] = []

    def client(longest: float) -> Client:
        made = here.client(token, patience=replace(QUICK, longest_wait=longest))
        made.sleep = waits.append
        return made

    identity.remaining, identity.reset = 0, int(time.time()) + 1_800
    with pytest.raises(LimitedError, match="requests of the hour are used up"):
        read_pull(client(90), PULL)
    assert waits == []

    def lifted(seconds: float) -> None:
        waits.append(seconds)
        identity.remaining = 100

    identity.reset = int(time.time()) + 30
    patient = client(90)
    patient.sleep = lifted
    assert read_pull(patient, PULL).id == PULL
    assert waits == [pytest.approx(31, abs=2)]


def test_the_secondary_limit_is_honoured(here: World) -> None:
    here.pull({SCRIPT: GOOD})
    here.store.writes_per_minute = 3
    token = here.store.workflow_token(here.base)
    waits: list[float] = []

    def later(seconds: float) -> None:
        waits.append(seconds)
        here.store.tokens[token].writes.clear()

    client = here.client(token, patience=replace(QUICK, longest_wait=90))
    client.sleep = later
    for number in range(7):
        client.write("POST", COMMENTS, {"body": f"{number}"})
    assert [round(wait) for wait in waits] == [60, 60]


def test_limits_inside_graphql_are_limits(here: World) -> None:
    here.pull({SCRIPT: GOOD})
    body = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
    here.store.faults.append(Fault("POST", "/graphql pull", 200, body, times=9))
    with pytest.raises(LimitedError, match="limits the rate of requests"):
        read_pull(here.client(), PULL)


@pytest.mark.parametrize(
    ("body", "kind", "sentence"),
    [
        ({"errors": [{"type": "NOT_FOUND", "message": "no"}]}, NotFoundError, "no pull request"),
        (
            {"errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by x"}]},
            NotAllowedError,
            "may not do this here",
        ),
        ({"errors": [{"message": "Something went wrong"}]}, UnreachableError, "Something went"),
        ({"data": None}, UnreachableError, "an answer without data"),
        ([], UnreachableError, "an answer without data"),
    ],
)
def test_errors_inside_graphql_are_sentences(
    here: World, body: object, kind: type[GitHubError], sentence: str
) -> None:
    here.pull({SCRIPT: GOOD})
    here.store.faults.append(Fault("POST", "/graphql pull", 200, body, times=9))
    with pytest.raises(kind, match=sentence):
        read_pull(here.client(), PULL)


_OTHER_FORMS: tuple[object, ...] = (
    "<html>welcome</html>",
    '{"data": {"repos',
    [],
    5,
    {"data": {}},
    {"data": {"repository": 5, "addComment": 7}},
    {"data": {"repository": {"pullRequest": [1]}, "addComment": {"commentEdge": [1]}}},
)


@pytest.mark.parametrize(
    ("method", "path", "needed"),
    [
        ("POST", "/graphql pull", True),
        ("POST", "/graphql entries", False),
        ("GET", "/git/trees/", True),
        ("POST", "/graphql blobs", False),
        ("POST", "/graphql comments", True),
        ("POST", "/graphql post", True),
        ("POST", "/check-runs", False),
    ],
)
def test_an_answer_of_another_form_is_a_sentence(
    here: World, method: str, path: str, needed: bool
) -> None:
    """`needed`: nothing can stand in for the answer."""
    here.base.commit("main", {"verl/trainer/config/ppo_trainer.yaml": "a: 1\n"})
    pull = here.pull({SCRIPT: BROKEN})
    for body in _OTHER_FORMS:
        pull.comments.clear()
        here.store.checks.clear()
        here.store.faults[:] = [Fault(method, path, 200, body, times=99)]
        try:
            done = answer_pull(read_change(here.client(), PULL), asked())
        except GitHubError as error:
            said = [str(error)]
        else:
            reasons = [item.reason for item in done.checked.report.unchecked]
            said = [*done.published.notes, *reasons]
        assert all(text.endswith(".") for text in said)
        assert said or not needed, body


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes connections and says nothing."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(16)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def _client(api: str) -> Client:
    from github import Auth

    patience = Patience(attempts=2, first_pause=0.01, timeout=1)
    return Client(Auth.Token("ghp_x"), Addresses(api=api), patience, secrets=(Secret("ghp_x"),))


@pytest.mark.slow
def test_no_answer_is_a_sentence(silent: str) -> None:
    client = _client(silent)
    with pytest.raises(UnreachableError, match=r"gave no answer \(ReadTimeout\); check the net"):
        client.get("/user")
    assert len(client.log) == 2
    with pytest.raises(UnreachableError, match=r"gave no answer \(ConnectionError\)"):
        _client("http://127.0.0.1:9").get("/user")


def test_a_lost_write_is_not_repeated_where_it_would_double(here: World) -> None:
    here.pull({SCRIPT: GOOD})
    here.store.faults.append(Fault("POST", COMMENTS, 502, None, after=True, times=9))
    client = here.client()
    with pytest.raises(UnreachableError):
        client.write("POST", COMMENTS, {"body": "word"}, repeat=False)
    assert len(client.log) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GITHUB_API_URL", "http://example.org"),
        ("GITHUB_API_URL", "https://name@example.org"),
        ("GITHUB_API_URL", "ftp://example.org"),
        ("GITHUB_GRAPHQL_URL", "https://elsewhere.example/graphql"),
        ("GITHUB_SERVER_URL", "javascript:alert(1)"),
    ],
)
def test_addresses_that_a_token_must_not_go_to_are_refused(name: str, value: str) -> None:
    with pytest.raises(UserError, match="GITHUB_"):
        Addresses.of({name: value})


def test_a_private_repository_is_no_different_from_none(here: World) -> None:
    here.pull({SCRIPT: GOOD})
    here.base.private = True
    client = here.client(here.store.person_token("eve"), permissions=READ_ONLY)
    with pytest.raises(NotFoundError) as private:
        read_pull(client, PULL)
    with pytest.raises(NotFoundError) as missing:
        read_pull(client, PullId("verl-project/nothing", 1))
    assert str(private.value).replace("verl#1", "nothing#1").endswith(str(missing.value)[-60:])
    assert json.dumps(str(private.value)).isascii()
