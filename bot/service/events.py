"""What a webhook asks for: a job, or nothing, with the reason. Pure: payload in, decision out."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import ValidationError

from bot.base.regex import regex
from bot.github.actions import Ignored, comment_request
from bot.service.job import Job
from bot.service.payloads import (
    CheckRunEvent,
    CheckRunPayload,
    CheckSuiteEvent,
    CommentEvent,
    InstallationEvent,
    PullRequestEvent,
    RepositoryWebhook,
)
from bot.service.visibility import VisibilityChange

URL = regex(r"https?://[^\s<>\"')\]]+")
CHECK_ID = regex(r"rlbot:([1-9][0-9]{0,8}):")
"""How the external id of our check runs names the pull request (bot/github/posted.py)."""
CHECK_ACTIONS = frozenset({"opened", "reopened", "synchronize", "ready_for_review"})
HIDING = frozenset({"privatized", "publicized", "deleted", "transferred", "renamed"})
"""What may change whether the reports of a repository may be seen."""
MAX_BEFORE = 65_536


class BadPayload(Exception):  # noqa: N818
    """The payload is not what GitHub sends for its event; the message says where."""


def read_event(
    event: str, delivery: str, payload: object, *, app_id: int | None = None
) -> Job | Ignored:
    """Decide what a delivery asks for.

    `app_id` is our own App: check runs of others are none of our business. Raises BadPayload.
    """
    if event == "ping":
        return Ignored("ping: noted")
    try:
        if event in ("installation", "installation_repositories"):
            changed = InstallationEvent.model_validate(payload)
            return _installed(changed, delivery, _identity(payload))
        if event == "repository":
            repository = RepositoryWebhook.model_validate(payload)
            return _repository(repository, delivery, _identity(payload))
        if event == "pull_request":
            return _pull_request(PullRequestEvent.model_validate(payload), delivery)
        if event == "issue_comment":
            return _comment(CommentEvent.model_validate(payload), delivery)
        if event == "check_run":
            run = CheckRunEvent.model_validate(payload)
            return _check_run(run, delivery, app_id, _identity(payload))
        if event == "check_suite":
            suite = CheckSuiteEvent.model_validate(payload)
            return _check_suite(suite, delivery, app_id, _identity(payload))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the payload"
        raise BadPayload(f"{place}: {first['msg']}") from None
    return Ignored(f"the event {event[:40]} is not used")


def _job(event: RepositoryWebhook, delivery: str, **what: Any) -> Job:
    """The job of an event about a repository; `what` are its other fields."""
    return Job(
        repository=event.repository.full_name,
        installation=event.installation_id,
        repository_id=event.repository.id,
        delivery=delivery,
        **what,
    )


def _identity(payload: object) -> str:
    """What an act that has no time or number of its own is known by.

    Made of what GitHub signed: the delivery's id is a header, which anybody could change.
    """
    text = json.dumps(payload, sort_keys=True).encode()
    return hashlib.sha256(text).hexdigest()[:32]


def _pull_request(event: PullRequestEvent, delivery: str) -> Job | Ignored:
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
    return _job(
        event,
        delivery,
        kind="check",
        number=pull.number,
        head=pull.head.sha,
        # The time makes a return to an earlier head another act; two hooks tell the same time.
        meaning=f"{event.action}:{pull.head.sha[:12]}:{pull.updated_at}",
    )


def _relevant_edit(event: PullRequestEvent) -> bool:
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


def _comment(event: CommentEvent, delivery: str) -> Job | Ignored:
    asked = comment_request(event.repository.full_name, event.model_dump(by_alias=True))
    if isinstance(asked, Ignored):
        return asked
    return _job(
        event,
        delivery,
        kind="command",
        number=asked.pull.number,
        meaning=f"{asked.comment}:{event.comment.updated_at}",
        detail={
            "comment": asked.comment,
            "node": asked.node,
            "author": asked.author,
            "body": _text(asked.body),
            "before": _text(asked.before),
        },
    )


def _text(text: str) -> str:
    """What a database can hold: JSON may spell half of a character, which UTF-8 cannot."""
    return text[:MAX_BEFORE].encode("utf-8", "replace").decode()


def _check_run(
    event: CheckRunEvent, delivery: str, app_id: int | None, identity: str
) -> Job | Ignored:
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
        return _job(
            event,
            delivery,
            kind="command",
            number=number,
            head=run.head_sha,
            meaning=f"{run.id}:apply:{identity}",
            detail={"command": "apply", "author": event.sender.login, "check_run": run.id},
        )
    if event.action == "requested_action" and identifier != "verify":
        return Ignored(f"the action {identifier} is unknown")
    return _job(
        event,
        delivery,
        kind="check",
        number=number,
        head=run.head_sha,
        meaning=f"{run.id}:again:{identity}",
        detail={"check_run": run.id},
    )


def _check_suite(
    event: CheckSuiteEvent, delivery: str, app_id: int | None, identity: str
) -> Job | Ignored:
    """The button that runs all checks again: GitHub tells the suite alone, not its check runs."""
    suite = event.check_suite
    if suite.app is None or app_id is None or suite.app.id != app_id:
        return Ignored("the check suite is not ours")
    if event.action != "rerequested":
        return Ignored(f"the action {event.action} asks for nothing")
    if len(suite.pull_requests) != 1:
        return Ignored("the check suite names no one pull request; its check run can be asked")
    return _job(
        event,
        delivery,
        kind="check",
        number=suite.pull_requests[0].number,
        head=suite.head_sha,
        meaning=f"{suite.id}:all:{identity}",
    )


def _installed(event: InstallationEvent, delivery: str, identity: str) -> Job | Ignored:
    """Without the App nobody would tell when one of its repositories becomes private."""
    hiding = event.action in ("deleted", "suspend", "removed")
    if not hiding and event.action not in ("created", "unsuspend", "added"):
        return Ignored(f"installation {event.action}: nothing to do")
    number = event.installation.id
    whole = event.action in ("deleted", "suspend", "unsuspend")
    named = event.repositories + event.repositories_added + event.repositories_removed
    if not whole and not named:
        return Ignored(f"installation {event.action}: it names no repository")
    change = VisibilityChange(
        hide=hiding,
        repositories=() if whole else tuple((one.id, one.full_name) for one in named),
        installation=number if whole else None,
    )
    account = event.installation.account
    login = account.login if account and whole else None
    return Job(
        kind="hide",
        repository=f"{login}/*" if login else f"installation/{number}",
        number=0,
        installation=number,
        delivery=delivery,
        meaning=f"{event.action}:{identity}",
        detail=change.detail(),
    )


def _repository(event: RepositoryWebhook, delivery: str, identity: str) -> Job | Ignored:
    if event.action not in HIDING:
        return Ignored(f"repository {event.action}: nothing to do")
    repository = event.repository
    change = VisibilityChange(hide=True, repositories=((repository.id, repository.full_name),))
    return _job(
        event,
        delivery,
        kind="hide",
        number=0,
        meaning=f"{event.action}:{identity}",
        detail=change.detail(),
    )


def _number(run: CheckRunPayload) -> int | None:
    """The pull request of our check run: GitHub lists none when it comes from a fork."""
    if marked := CHECK_ID.match(run.external_id or ""):
        return int(marked[1])
    return run.pull_requests[0].number if len(run.pull_requests) == 1 else None
