"""The stand-in itself: what it answers is what GitHub documents, and it notices what is not."""

from __future__ import annotations

import json
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from github import Auth, Github, GithubException, GithubIntegration

from bot.github import queries
from tests.github.contract import ContractError, operation
from tests.github.hooks import Hook, signature
from tests.github.server import Server
from tests.github.store import READ_ONLY, App
from tests.github.world import GOOD, SCRIPT, World, world
from tests.listener import Listener

REPOSITORY = "/repos/verl-project/verl"


def _github(server: Server, token: str) -> Github:
    return Github(
        auth=Auth.Token(token),
        base_url=server.url,
        retry=None,
        seconds_between_requests=0,
        seconds_between_writes=0,
    )


def test_pygithubs_own_objects_work_with_it(here: World) -> None:
    made = here.pull({SCRIPT: GOOD, "README.md": "word\n"})
    github = _github(here.server, here.store.workflow_token(here.base))
    repository = github.get_repo("verl-project/verl")
    pull = repository.get_pull(1)
    assert (pull.head.sha, pull.user.login, pull.changed_files) == (made.head, "ada-l", 2)
    files = {file.filename: file for file in pull.get_files()}
    assert files[SCRIPT].status == "added"
    assert files[SCRIPT].patch.startswith("@@ -0,0 +1,")
    assert repository.get_git_blob(files[SCRIPT].sha).size == len(GOOD)
    assert repository.get_contents(SCRIPT, ref=made.head).decoded_content == GOOD  # type: ignore[union-attr]
    tree = repository.get_git_tree(made.head, recursive=True)
    assert SCRIPT in {item.path for item in tree.tree}
    comment = pull.create_issue_comment("word")
    comment.edit("another word")
    comment.create_reaction("rocket")
    assert [c.body for c in pull.get_issue_comments()] == ["another word"]
    assert [r.content for r in comment.get_reactions()] == ["rocket"]
    comment.delete()
    assert list(pull.get_issue_comments()) == []
    run = repository.create_check_run("a check", made.head, status="in_progress")
    run.edit(conclusion="neutral", output={"title": "t", "summary": "s"})
    assert run.conclusion == "neutral"
    assert repository.get_check_run(run.id).output.title == "t"
    assert repository.get_collaborator_permission("triager") == "read"


def test_lists_come_in_pages(here: World) -> None:
    made = here.pull({f"{n:03}.txt": f"{n}\n" for n in range(65)})
    github = _github(here.server, here.store.workflow_token(here.base))
    files = github.get_repo("verl-project/verl").get_pull(made.number).get_files()
    assert len(list(files)) == 65
    assert len([c for c in here.requests() if c.endswith("/files")]) == 3


def test_what_was_not_modified_is_free(here: World) -> None:
    here.pull({SCRIPT: GOOD})
    token = here.store.workflow_token(here.base)
    pull = _github(here.server, token).get_repo("verl-project/verl").get_pull(1)
    left = here.store.tokens[token].remaining
    assert not pull.update()
    assert here.store.tokens[token].remaining == left
    here.push({SCRIPT: GOOD + b"# more\n"})
    assert pull.update()


def test_a_commit_through_the_api_is_a_commit(here: World) -> None:
    made = here.pull({SCRIPT: GOOD})
    old = made.head
    client = here.client(here.store.person_token("maintainer"))
    fork = "/repos/ada-l/verl"
    blob = client.write("POST", f"{fork}/git/blobs", {"content": "new\n", "encoding": "utf-8"})
    entry = {"path": "docs/new.rst", "mode": "100644", "type": "blob", "sha": blob["sha"]}
    tree = {"base_tree": client.get(f"{fork}/git/commits/{old}")["tree"]["sha"], "tree": [entry]}
    made_tree = client.write("POST", f"{fork}/git/trees", tree)
    commit = {"message": "Add a page", "tree": made_tree["sha"], "parents": [old]}
    made_commit = client.write("POST", f"{fork}/git/commits", commit)
    move = {"sha": made_commit["sha"], "force": False}
    client.write("PATCH", f"{fork}/git/refs/heads/tuning", move)
    assert made.head == made_commit["sha"] != old
    assert client.get(f"{REPOSITORY}/pulls/1")["changed_files"] == 2
    assert here.base.objects.entry(made.head, SCRIPT) is not None
    with pytest.raises(Exception, match="not a fast forward"):
        client.write("PATCH", f"{fork}/git/refs/heads/tuning", {"sha": here.base.head("main")})
    made.maintainer_can_modify = False
    with pytest.raises(Exception, match="may not do"):
        client.write("POST", f"{fork}/git/blobs", {"content": "x"})


def test_a_commit_through_a_mutation_is_a_commit_where_it_was_expected(here: World) -> None:
    made = here.pull({SCRIPT: GOOD})
    old = made.head
    client = here.client(here.store.person_token("maintainer"))
    given = {
        "branch": {"repositoryNameWithOwner": "ada-l/verl", "branchName": "tuning"},
        "expectedHeadOid": old,
        "message": {"headline": "Change the script"},
        "fileChanges": {"additions": [{"path": SCRIPT, "contents": "eA=="}]},
    }
    done = client.graphql(queries.operation("Commit"), {"input": given})
    assert made.head == done["createCommitOnBranch"]["commit"]["oid"] != old
    assert here.base.objects.git("show", f"{made.head}:{SCRIPT}") == b"x"
    with pytest.raises(Exception, match="Expected branch to point to"):
        client.graphql(queries.operation("Commit"), {"input": given})
    move = {"name": "refs/heads/tuning", "beforeOid": old, "afterOid": old}
    moving = {"repositoryId": f"R_{here.fork.id}", "refUpdates": [move]}
    with pytest.raises(Exception, match="could not be updated"):
        client.graphql(queries.operation("Move"), {"input": moving})
    move["beforeOid"] = made.head
    with pytest.raises(Exception, match="not a fast forward"):
        client.graphql(queries.operation("Move"), {"input": moving})


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", f"{REPOSITORY}/issues/1/comments", {"body": "word"}),
        ("POST", f"{REPOSITORY}/check-runs", {"name": "x", "head_sha": "0" * 40}),
        ("POST", f"{REPOSITORY}/statuses/{'0' * 40}", {"state": "success"}),
        ("POST", f"{REPOSITORY}/pulls/1/reviews", {"event": "COMMENT"}),
    ],
)
def test_a_read_only_token_writes_nothing(
    here: World, method: str, path: str, body: dict[str, Any]
) -> None:
    here.pull({SCRIPT: GOOD})
    client = here.client(permissions=READ_ONLY)
    with pytest.raises(Exception, match="may not do this here"):
        client.write(method, path, body)


# What keeps the stand-in honest: without these checks it would answer anything.


@pytest.mark.process
def test_a_request_that_github_does_not_document_is_noticed(tmp_path: Path) -> None:
    with Server(tmp_path / "github") as server:
        here = world(server)
        here.pull({SCRIPT: GOOD})
        client = here.client()
        for path in ("/repos/verl-project/verl/nothing", f"{REPOSITORY}/pulls/1?nothing=1"):
            with pytest.raises(Exception, match="500"):
                client.get(path)
        with pytest.raises(Exception, match="500"):
            client.write("POST", f"{REPOSITORY}/check-runs", {"name": 1})
        with pytest.raises(Exception, match="500"):
            client.graphql("query Odd { viewer { shoeSize } }", {})
        words = "\n".join(server.broken)
    assert "GitHub has no GET /repos/verl-project/verl/nothing" in words
    assert "has no parameter {'nothing'}" in words
    assert "is wrong: " in words
    assert "Cannot query field 'shoeSize'" in words


def test_an_answer_that_github_would_not_give_is_noticed() -> None:
    found = operation("GET", f"{REPOSITORY}/pulls/1")
    assert found is not None
    what, parameters = found
    assert parameters == {"owner": "verl-project", "repo": "verl", "pull_number": "1"}
    with pytest.raises(ContractError, match="is not of type 'integer'"):
        what.answer(200, {"id": "not a number"})
    with pytest.raises(ContractError, match="never answers 418"):
        what.answer(418, {})


def test_what_github_requires_is_filled_in() -> None:
    found = operation("GET", f"{REPOSITORY}/pulls/1")
    assert found is not None
    whole = found[0].answer(200, {"id": 7, "title": "a title"})
    assert (whole["id"], whole["title"]) == (7, "a title")
    assert {"merged", "commits", "head", "base", "_links"} <= whole.keys()


# The App's side.


@pytest.fixture
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


def _private(key: rsa.RSAPrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()


def _app(here: World, key: rsa.RSAPrivateKey) -> App:
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return here.store.app("rlbot", public.decode())


def test_an_app_signs_in_and_writes_as_its_bot(here: World, key: rsa.RSAPrivateKey) -> None:
    made = here.pull({SCRIPT: GOOD})
    app = _app(here, key)
    installation = here.store.install(app, here.base)
    integration = GithubIntegration(
        auth=Auth.AppAuth(app.id, _private(key)), base_url=here.server.url, retry=None
    )
    assert integration.get_repo_installation("verl-project", "verl").id == installation.id
    token = integration.get_access_token(installation.id).token
    pull = _github(here.server, token).get_repo("verl-project/verl").get_pull(1)
    pull.create_issue_comment("word")
    assert made.comments[0].author.login == "rlbot[bot]"
    here.store.tokens[token].expires = 1.0
    with pytest.raises(Exception, match="wrong, revoked or expired"):
        here.client(token).get(f"{REPOSITORY}/pulls/1")


def test_an_app_with_another_key_is_turned_away(here: World, key: rsa.RSAPrivateKey) -> None:
    app = _app(here, key)
    here.store.install(app, here.base)
    other = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    integration = GithubIntegration(
        auth=Auth.AppAuth(app.id, _private(other)), base_url=here.server.url, retry=None
    )
    with pytest.raises(GithubException) as refused:
        integration.get_installations().totalCount  # noqa: B018
    assert refused.value.status == 401


@pytest.fixture
def receiver() -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]]]]:
    """An address that takes webhooks, and what arrived there."""
    arrived: list[tuple[dict[str, str], bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            arrived.append(({k.lower(): v for k, v in self.headers.items()}, body))
            self.send_response(202)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    http = Listener(("127.0.0.1", 0), Handler)
    with http.serving():
        yield f"http://127.0.0.1:{http.server_port}/hook", arrived


@pytest.mark.process
def test_webhooks_are_signed_listed_and_sent_again(
    here: World,
    key: rsa.RSAPrivateKey,
    receiver: tuple[str, list[tuple[dict[str, str], bytes]]],
) -> None:
    url, arrived = receiver
    app = _app(here, key)
    hook = Hook(app, url, "a secret")
    here.server.hooks.append(hook)
    sent = hook.send("pull_request", {"action": "opened", "number": 1})
    lost = hook.send("pull_request", {"action": "synchronize", "number": 1}, lost=True)
    (headers, body) = arrived[0]
    assert json.loads(body) == {"action": "opened", "number": 1}
    assert headers["x-hub-signature-256"] == signature("a secret", body)
    checked = subprocess.run(
        ["openssl", "dgst", "-sha256", "-hmac", "a secret"],
        input=body,
        capture_output=True,
        check=True,
    )
    assert headers["x-hub-signature-256"].removeprefix("sha256=") in checked.stdout.decode()
    assert (sent.status, lost.status, len(arrived)) == (202, 502, 1)

    signed = Auth.AppAuth(app.id, _private(key)).create_jwt()

    def ask(method: str, path: str) -> Any:
        request = urllib.request.Request(  # noqa: S310
            here.server.url + path, method=method, headers={"Authorization": f"Bearer {signed}"}
        )
        with urllib.request.urlopen(request, timeout=300) as answer:  # noqa: S310
            return json.load(answer)

    listed = ask("GET", "/app/hook/deliveries?per_page=100")
    assert [(d["action"], d["status_code"]) for d in listed] == [
        ("synchronize", 502),
        ("opened", 202),
    ]
    ask("POST", f"/app/hook/deliveries/{lost.id}/attempts")
    for _ in range(200):
        if len(arrived) == 2:
            break
        threading.Event().wait(0.05)
    assert arrived[1][0]["x-github-delivery"] == lost.guid
    with pytest.raises(urllib.error.HTTPError, match="404"):
        ask("GET", "/app/hook/deliveries/1")
