"""What a webhook asks for: a job, or nothing, with the reason. Pure: payload in, decision out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.service.job import Job

COMMAND_LINE = re.compile(r"^[ ]{0,3}/(?:verify|apply)\b", re.MULTILINE)
"""A cheap sieve; the job reads the comment as Markdown, where code and quotes hold no commands."""
URL = re.compile(r"https?://[^\s<>\"')\]]+")
CHECK_ID = re.compile(r"rlbot:([1-9][0-9]{0,8}):")
"""How the external id of our check runs names the pull request (bot/github/posted.py)."""
CHECK_ACTIONS = frozenset({"opened", "reopened", "synchronize", "ready_for_review"})
HIDING = frozenset({"privatized", "deleted", "transferred"})
"""What may happen to a repository so that its reports are not to be seen any more."""
MAX_BEFORE = 65_536


class BadPayload(Exception):  # noqa: N818
    """The payload is not what GitHub sends for its event; the message says where."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing to do, and why."""

    reason: str


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class _Named(_Model):
    full_name: str = Field(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$", max_length=140)


class _Installation(_Model):
    id: int


class _Commit(_Model):
    sha: str = Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")


class _User(_Model):
    login: str = Field(pattern=r"^[\x21-\x7e]+$", max_length=100)
    type: str = "User"


class _PullRequest(_Model):
    number: int = Field(gt=0)
    state: str
    draft: bool = False
    head: _Commit
    body: str | None = None
    updated_at: str = Field(pattern=r"^[\x21-\x7e]+$", max_length=40)


class _Was(_Model):
    value: str | None = Field(None, alias="from")


class _Changes(_Model):
    body: _Was | None = None
    base: dict[str, Any] | None = None


class _Event(_Model):
    action: str = Field(pattern=r"^[a-z_]+$", max_length=40)
    repository: _Named
    installation: _Installation | None = None
    sender: _User

    @property
    def installation_id(self) -> int | None:
        return self.installation.id if self.installation else None


class _PullRequestEvent(_Event):
    pull_request: _PullRequest
    changes: _Changes | None = None


class _Issue(_Model):
    number: int = Field(gt=0)
    state: str
    pull_request: dict[str, Any] | None = None


class _Comment(_Model):
    id: int
    body: str
    user: _User
    updated_at: str = Field(pattern=r"^[\x21-\x7e]+$", max_length=40)


class _CommentEvent(_Event):
    issue: _Issue
    comment: _Comment
    changes: _Changes | None = None


class _App(_Model):
    id: int


class _NumberOnly(_Model):
    number: int = Field(gt=0)


class _CheckRun(_Model):
    id: int
    head_sha: str = Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")
    external_id: str | None = None
    app: _App | None = None
    pull_requests: list[_NumberOnly] = []


class _RequestedAction(_Model):
    identifier: str = Field(max_length=20)


class _CheckRunEvent(_Event):
    check_run: _CheckRun
    requested_action: _RequestedAction | None = None


class _CheckSuite(_Model):
    id: int
    head_sha: str = Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")
    app: _App | None = None
    pull_requests: list[_NumberOnly] = []


class _CheckSuiteEvent(_Event):
    check_suite: _CheckSuite


class _Account(_Model):
    login: str = Field(pattern=r"^[A-Za-z0-9_.-]+$", max_length=100)


class _Installed(_Installation):
    account: _Account | None = None


class _InstallationEvent(_Model):
    action: str = Field(pattern=r"^[a-z_]+$", max_length=40)
    installation: _Installed


def read_event(
    event: str, delivery: str, payload: object, *, app_id: int | None = None
) -> Job | Ignored:
    """Decide what a delivery asks for.

    `app_id` is our own App: check runs of others are none of our business. Raises BadPayload.
    """
    if event in ("ping", "installation_repositories"):
        return Ignored(f"{event}: noted")
    try:
        if event == "installation":
            return _installed(_InstallationEvent.model_validate(payload), delivery)
        if event == "repository":
            return _repository(_Event.model_validate(payload), delivery)
        if event == "pull_request":
            return _pull_request(_PullRequestEvent.model_validate(payload), delivery)
        if event == "issue_comment":
            return _comment(_CommentEvent.model_validate(payload), delivery)
        if event == "check_run":
            return _check_run(_CheckRunEvent.model_validate(payload), delivery, app_id)
        if event == "check_suite":
            return _check_suite(_CheckSuiteEvent.model_validate(payload), delivery, app_id)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the payload"
        raise BadPayload(f"{place}: {first['msg']}") from None
    return Ignored(f"the event {event[:40]} is not used")


def _pull_request(event: _PullRequestEvent, delivery: str) -> Job | Ignored:
    pull = event.pull_request
    if pull.state != "open":
        return Ignored("the pull request is closed")
    if pull.draft:
        return Ignored("a draft is checked when it is ready for review")
    if event.action == "edited":
        if not _relevant_edit(event):
            return Ignored("the edit changed neither a link nor the base")
    elif event.action not in CHECK_ACTIONS:
        return Ignored(f"the action {event.action} changes nothing that is checked")
    return Job(
        kind="check",
        repository=event.repository.full_name,
        number=pull.number,
        installation=event.installation_id,
        delivery=delivery,
        head=pull.head.sha,
        # The time makes a return to an earlier head another act; two hooks tell the same time.
        meaning=f"{event.action}:{pull.head.sha[:12]}:{pull.updated_at}",
    )


def _relevant_edit(event: _PullRequestEvent) -> bool:
    changes = event.changes
    if changes is None:
        return False
    if changes.base is not None:
        return True
    if changes.body is None:
        return False
    return set(URL.findall(changes.body.value or "")) != set(
        URL.findall(event.pull_request.body or "")
    )


def _comment(event: _CommentEvent, delivery: str) -> Job | Ignored:
    if event.issue.pull_request is None:
        return Ignored("the comment is on an issue")
    if event.issue.state != "open":
        return Ignored("the pull request is closed")
    if event.action not in ("created", "edited"):
        return Ignored(f"the action {event.action} asks for nothing")
    comment = event.comment
    if comment.user.type == "Bot" or event.sender.type == "Bot":
        return Ignored("commands of bots are not obeyed")
    if not COMMAND_LINE.search(comment.body):
        return Ignored("the comment holds no command")
    before = ""
    if event.action == "edited":
        if event.changes is None or event.changes.body is None:
            return Ignored("the edit did not change the comment's text")
        before = event.changes.body.value or ""
        # Somebody who may edit another's comment must not act in that one's name.
        if event.sender.login != comment.user.login:
            return Ignored("the comment was edited by somebody else than its author")
    return Job(
        kind="command",
        repository=event.repository.full_name,
        number=event.issue.number,
        installation=event.installation_id,
        delivery=delivery,
        meaning=f"{comment.id}:{comment.updated_at}",
        detail={
            "comment": comment.id,
            "author": comment.user.login,
            "body": _text(comment.body),
            "before": _text(before),
        },
    )


def _text(text: str) -> str:
    """What a database can hold: JSON may spell half of a character, which UTF-8 cannot."""
    return text[:MAX_BEFORE].encode("utf-8", "replace").decode()


def _check_run(event: _CheckRunEvent, delivery: str, app_id: int | None) -> Job | Ignored:
    run = event.check_run
    if run.app is None or app_id is None or run.app.id != app_id:
        return Ignored("the check run is not ours")
    if event.action not in ("rerequested", "requested_action"):
        return Ignored(f"the action {event.action} asks for nothing")
    number = _number(run)
    if number is None:
        return Ignored("the check run names no pull request")
    identifier = event.requested_action.identifier if event.requested_action else "verify"
    if event.action == "requested_action" and identifier == "apply":
        return Job(
            kind="command",
            repository=event.repository.full_name,
            number=number,
            installation=event.installation_id,
            delivery=delivery,
            head=run.head_sha,
            meaning=f"{run.id}:apply:{delivery}",
            detail={"command": "apply", "author": event.sender.login, "check_run": run.id},
        )
    if event.action == "requested_action" and identifier != "verify":
        return Ignored(f"the action {identifier} is unknown")
    return Job(
        kind="check",
        repository=event.repository.full_name,
        number=number,
        installation=event.installation_id,
        delivery=delivery,
        head=run.head_sha,
        meaning=f"{run.id}:again:{delivery}",
    )


def _check_suite(event: _CheckSuiteEvent, delivery: str, app_id: int | None) -> Job | Ignored:
    """The button that runs all checks again: GitHub tells the suite alone, not its check runs."""
    suite = event.check_suite
    if suite.app is None or app_id is None or suite.app.id != app_id:
        return Ignored("the check suite is not ours")
    if event.action != "rerequested":
        return Ignored(f"the action {event.action} asks for nothing")
    if len(suite.pull_requests) != 1:
        return Ignored("the check suite names no one pull request; its check run can be asked")
    return Job(
        kind="check",
        repository=event.repository.full_name,
        number=suite.pull_requests[0].number,
        installation=event.installation_id,
        delivery=delivery,
        head=suite.head_sha,
        meaning=f"{suite.id}:all:{delivery}",
    )


def _installed(event: _InstallationEvent, delivery: str) -> Job | Ignored:
    if event.action != "deleted" or event.installation.account is None:
        return Ignored("installation: noted")
    # Without the App nobody would tell when one of them becomes private.
    everything = f"{event.installation.account.login}/*"
    return Job(
        kind="hide",
        repository=everything,
        number=0,
        meaning=f"deleted:{delivery}",
        delivery=delivery,
    )


def _repository(event: _Event, delivery: str) -> Job | Ignored:
    if event.action not in HIDING:
        return Ignored(f"repository {event.action}: nothing to do")
    return Job(
        kind="hide",
        repository=event.repository.full_name,
        number=0,
        installation=event.installation_id,
        delivery=delivery,
        meaning=f"{event.action}:{delivery}",
    )


def _number(run: _CheckRun) -> int | None:
    """The pull request of our check run: GitHub lists none when it comes from a fork."""
    if marked := CHECK_ID.match(run.external_id or ""):
        return int(marked[1])
    return run.pull_requests[0].number if len(run.pull_requests) == 1 else None
