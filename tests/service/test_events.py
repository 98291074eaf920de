"""What a delivery asks for: must-not-act cases first."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.github.actions import Ignored
from bot.service.events import BadPayload, read_event
from bot.service.job import Job
from bot.service.visibility import VisibilityChange, change_of
from tests.service.payloads import BASE, HEAD, check_run, comment, pull_request

PULL = pull_request()["pull_request"]


def read(event: str, payload: Any, delivery: str = "d1") -> Job | Ignored:
    return read_event(event, delivery, payload, app_id=7)


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("ping", {"zen": "Keep it logically awesome."}),
        ("installation", {"action": "created", "installation": {"id": 3}}),
        ("installation", {"action": "new_permissions_accepted", "installation": {"id": 3}}),
        ("installation_repositories", {"action": "added", "installation": {"id": 3}}),
        ("repository", {**BASE, "action": "archived"}),
        ("star", {"action": "created"}),
        ("pull_request", pull_request("labeled")),
        ("pull_request", pull_request("closed", state="closed")),
        ("pull_request", pull_request("synchronize", draft=True)),
        ("pull_request", pull_request("edited", extra={"changes": {"title": {"from": "a"}}})),
        (
            "pull_request",
            pull_request(
                "edited",
                body="now see https://wandb.ai/e/p/runs/r",
                extra={"changes": {"body": {"from": "https://wandb.ai/e/p/runs/r"}}},
            ),
        ),
        ("issue_comment", comment("thank you")),
        ("issue_comment", comment("please /verify")),
        ("issue_comment", comment("/verifyable")),
        ("issue_comment", comment("/verify", action="deleted")),
        ("issue_comment", comment("/verify", issue={"number": 12, "state": "open"})),
        (
            "issue_comment",
            comment("/verify", issue={"number": 12, "state": "closed", "pull_request": {}}),
        ),
        ("issue_comment", comment("/verify", sender={"login": "app[bot]", "type": "Bot"})),
        ("issue_comment", comment("/verify", action="edited")),
        (
            "issue_comment",
            comment(
                "/verify",
                action="edited",
                changes={"body": {"from": "hello"}},
                sender={"login": "maintainer", "type": "User"},
            ),
        ),
        ("check_run", check_run("created")),
        ("check_run", check_run("completed")),
        ("check_run", {**check_run(), "check_run": {**check_run()["check_run"], "app": {"id": 8}}}),
        (
            "check_run",
            {**check_run(), "check_run": {**check_run()["check_run"], "external_id": "other:12:0"}},
        ),
        ("check_run", check_run("requested_action", requested_action={"identifier": "rm -rf"})),
    ],
)
def test_nothing_is_done(event: str, payload: Any) -> None:
    answer = read(event, payload)
    assert isinstance(answer, Ignored)
    assert answer.reason


@pytest.mark.parametrize("action", ["opened", "reopened", "synchronize", "ready_for_review"])
def test_a_change_is_checked(action: str) -> None:
    assert read("pull_request", pull_request(action)) == Job(
        kind="check",
        repository="Owner/repo",
        number=12,
        meaning=f"{action}:{HEAD[:12]}:2026-11-21T10:00:00Z",
        head=HEAD,
        installation=3,
        repository_id=1,
        delivery="d1",
    )


def test_an_edit_that_changes_a_link_or_the_base_is_checked() -> None:
    link = pull_request(
        "edited",
        body="https://wandb.ai/e/p/runs/new",
        extra={"changes": {"body": {"from": "https://wandb.ai/e/p/runs/old"}}},
    )
    base = pull_request("edited", extra={"changes": {"base": {"ref": {"from": "old"}}}})
    assert isinstance(read("pull_request", link), Job)
    assert isinstance(read("pull_request", base), Job)


def test_one_act_under_two_delivery_ids_is_one_job() -> None:
    first = read("pull_request", pull_request(), "d1")
    second = read("pull_request", pull_request(), "d2")
    assert isinstance(first, Job)
    assert isinstance(second, Job)
    assert first.id == second.id
    later = read("pull_request", pull_request(updated_at="2026-11-21T11:00:00Z"))
    assert isinstance(later, Job)
    assert later.id != first.id, "going back to an earlier head is another act"


def test_a_command_is_handed_on_with_what_the_edit_replaced() -> None:
    job = read(
        "issue_comment",
        comment("hello\n/verify", action="edited", changes={"body": {"from": "hello"}}),
    )
    assert isinstance(job, Job)
    assert job.kind == "command"
    assert job.detail == {
        "comment": 99,
        "node": "IC_99",
        "author": "contributor",
        "body": "hello\n/verify",
        "before": "hello",
    }


@pytest.mark.parametrize("body", ["/Apply", "/VERIFY help", "Fine now.\r\n      /verify"])
def test_a_command_is_heard_as_the_action_hears_it(body: str) -> None:
    """A phone begins a comment with a capital letter."""
    job = read("issue_comment", comment(body))
    assert isinstance(job, Job)
    assert job.detail["body"] == body


def test_all_checks_can_be_asked_again_at_once() -> None:
    """Of a fork GitHub names no pull request; the button of the check run itself does."""
    suite = {"id": 66, "head_sha": HEAD, "app": {"id": 7}, "pull_requests": [{"number": 12}]}
    event = {**BASE, "action": "rerequested", "check_suite": suite}
    job = read("check_suite", event)
    assert isinstance(job, Job)
    assert (job.kind, job.number, job.head) == ("check", 12, HEAD)
    for other in (
        {**event, "action": "requested"},
        {**event, "check_suite": {**suite, "app": {"id": 8}}},
        {**event, "check_suite": {**suite, "pull_requests": []}},
    ):
        assert isinstance(read("check_suite", other), Ignored)


def test_our_check_run_can_be_asked_again_from_a_fork_too() -> None:
    job = read("check_run", check_run())
    assert isinstance(job, Job)
    assert (job.kind, job.number, job.lane) == ("check", 12, "owner/repo#12")
    apply = read(
        "check_run", check_run("requested_action", requested_action={"identifier": "apply"})
    )
    assert isinstance(apply, Job)
    assert (apply.kind, apply.detail["command"]) == ("command", "apply")


@pytest.mark.parametrize(
    "action", ["privatized", "publicized", "deleted", "renamed", "transferred"]
)
def test_a_repository_that_changes_is_hidden_by_its_number(action: str) -> None:
    job = read("repository", {**BASE, "action": action})
    assert isinstance(job, Job)
    assert (job.kind, job.repository, job.repository_id) == ("hide", "Owner/repo", 1)
    assert change_of(Job.from_json(json.loads(json.dumps(job.to_json())))) == VisibilityChange(
        hide=True, repositories=((1, "Owner/repo"),)
    )


@pytest.mark.parametrize("account", [{"login": "Owner"}, {"slug": "an-enterprise"}, None])
@pytest.mark.parametrize(
    ("action", "hides"), [("deleted", True), ("suspend", True), ("unsuspend", False)]
)
def test_an_installation_is_hidden_and_asked_about_as_a_whole(
    action: str, hides: bool, account: object
) -> None:
    event = {"action": action, "installation": {"id": 3, "account": account}}
    job = read("installation", event)
    assert isinstance(job, Job)
    assert job.repository == ("Owner/*" if account == {"login": "Owner"} else "installation/3")
    assert change_of(job) == VisibilityChange(hide=hides, installation=3)


@pytest.mark.parametrize(
    ("event", "action", "key"),
    [
        ("installation", "created", "repositories"),
        ("installation_repositories", "added", "repositories_added"),
        ("installation_repositories", "removed", "repositories_removed"),
    ],
)
def test_repositories_that_an_installation_gains_or_loses(
    event: str, action: str, key: str
) -> None:
    named = [{"id": 8, "full_name": "Owner/one"}, {"id": 9, "full_name": "Owner/two"}]
    payload = {"action": action, "installation": {"id": 3}, key: named}
    job = read(event, payload)
    assert isinstance(job, Job)
    assert change_of(job) == VisibilityChange(
        hide=action == "removed", repositories=((8, "Owner/one"), (9, "Owner/two"))
    )


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("check_run", check_run()),
        ("check_run", check_run("requested_action", requested_action={"identifier": "apply"})),
        ("repository", {**BASE, "action": "privatized"}),
        ("installation", {"action": "deleted", "installation": {"id": 3}}),
    ],
)
def test_t5_an_act_is_known_by_what_is_signed(event: str, payload: dict[str, Any]) -> None:
    first, replayed = read(event, payload, "d1"), read(event, payload, "d2")
    other = read(event, {**payload, "sender": {"login": "x", "id": 5}, "at": "later"}, "d1")
    assert isinstance(first, Job)
    assert isinstance(replayed, Job)
    assert isinstance(other, Job)
    assert first.id == replayed.id != other.id


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"repository": {"id": 1 << 53, "full_name": "o/r"}}, "repository.id"),
        ({"repository": {"id": 1, "full_name": "o/" + "r" * 140}}, "repository.full_name"),
        ({"installation": {"id": 0}}, "installation.id"),
        ({"sender": {"login": "x" * 101}}, "sender.login"),
        ({"number": 1, "pull_request": {**PULL, "number": 1 << 31}}, "pull_request.number"),
        ({"pull_request": {**PULL, "state": "x" * 41}}, "pull_request.state"),
    ],
)
def test_t17_ids_and_names_have_bounds(change: dict[str, Any], place: str) -> None:
    with pytest.raises(BadPayload, match=f"^{place}: "):
        read("pull_request", {**pull_request(), **change})


@pytest.mark.parametrize(
    ("payload", "place"),
    [
        ([], "the payload"),
        ({}, "action"),
        (pull_request(number="12"), "pull_request.number"),
        (pull_request(head={"sha": "HEAD; rm -rf"}), "pull_request.head.sha"),
        ({**pull_request(), "repository": {"full_name": "../../etc"}}, "repository.full_name"),
        ({**pull_request(), "repository": None}, "repository"),
    ],
)
def test_a_payload_of_another_shape_is_refused_with_its_place(payload: Any, place: str) -> None:
    with pytest.raises(BadPayload, match=f"^{place}: "):
        read("pull_request", payload)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(
    event=st.sampled_from(["pull_request", "issue_comment", "check_run"]) | st.text(),
    payload=json_values,
    key=st.sampled_from(["action", "pull_request", "comment", "check_run", "repository", "issue"]),
)
def test_any_payload_gets_an_answer(event: str, payload: Any, key: str) -> None:
    whole = {
        "pull_request": pull_request(),
        "issue_comment": comment("/verify"),
        "check_run": check_run(),
    }.get(event, {})
    for one in (payload, {**whole, key: payload}):
        with suppress(BadPayload):
            assert isinstance(read(event, one), Job | Ignored)


WRONG: tuple[object, ...] = (
    None,
    True,
    -1,
    10**30,
    1.5,
    float("nan"),
    "",
    "x" * 70_000,
    "\ud800\x00",
    [],
    [[]],
    {},
    {"id": {"id": []}},
)


def _with_each_value_wrong(payload: Any) -> Iterator[Any]:
    """The payload once for each of its values and each way to be wrong, and once without it."""
    for key, value in payload.items() if isinstance(payload, dict) else enumerate(payload):
        if isinstance(payload, dict):
            yield {name: inner for name, inner in payload.items() if name != key}
        inner = [*WRONG]
        if isinstance(value, dict | list):
            inner += _with_each_value_wrong(value)
        for wrong in inner:
            changed = copy.copy(payload)
            changed[key] = wrong
            yield changed


EDITED = {"action": "edited", "changes": {"body": {"from": "a"}, "base": {"ref": {"from": "b"}}}}
SUITE = {"id": 66, "head_sha": HEAD, "app": {"id": 7}, "pull_requests": [{"number": 12}]}


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("pull_request", {**pull_request(), **EDITED}),
        ("issue_comment", {**comment("/verify"), **EDITED}),
        ("check_run", check_run("requested_action", requested_action={"identifier": "apply"})),
        ("check_suite", {**BASE, "action": "rerequested", "check_suite": SUITE}),
        ("repository", {**BASE, "action": "privatized"}),
        (
            "installation",
            {"action": "deleted", "installation": {"id": 3, "account": {"login": "ada"}}},
        ),
    ],
)
def test_t17_any_value_of_a_payload_may_be_wrong(event: str, payload: Any) -> None:
    """Each is a job that can be stored, or nothing, or refused in a sentence: never a fault."""
    seen: Counter[str] = Counter()
    for wrong in _with_each_value_wrong(payload):
        try:
            found = read(event, wrong)
        except BadPayload:
            seen["refused"] += 1
            continue
        seen[type(found).__name__] += 1
        if isinstance(found, Job):
            stored = json.dumps(found.to_json(), allow_nan=False).encode()
            assert Job.from_json(json.loads(stored)) == found
            found.id.encode()
    assert seen["refused"] > 20
    assert sum(seen.values()) > 60
