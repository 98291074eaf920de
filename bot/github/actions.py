"""What an event of GitHub Actions is about: a pull request, a comment on one, or nothing.

The payload is GitHub's own, but titles, branches and texts in it are anybody's: they are data here,
and nothing is taken from an artifact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.github.client import Client
from bot.github.command_comment import CommandRequest
from bot.github.commands import may_hold
from bot.github.pull import PullId

_REPOSITORY = regex(r"[A-Za-z0-9_.-]{1,200}/[A-Za-z0-9_.-]{1,200}\Z")
_COMMIT = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_CLOSED = "The pull request is closed."
_QUEUED = "A merge queue holds what was checked as a pull request: there is nothing more to check."


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing to do, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class OfPull:
    """A pull request to check."""

    pull: PullId
    from_fork: bool = False


@dataclass(frozen=True, slots=True)
class OfHead:
    """The open pull requests with this head; which ones is asked of GitHub."""

    repository: str
    head: str
    owner: str
    """Of the head's repository."""
    branch: str


EventSubject: TypeAlias = Ignored | OfPull | OfHead | CommandRequest


def subject_of(event: str, payload: Mapping[str, Any], number: str = "") -> EventSubject:
    """What a workflow's event is about; `number` names the pull request for any other event.

    Raises UserError when the payload lacks what GitHub sends for its event, and for an event that
    names no pull request.
    """
    try:
        repository = _matched(_REPOSITORY, payload["repository"]["full_name"])
        if number:
            if not re.fullmatch(r"[1-9][0-9]{0,8}", number):
                raise UserError(
                    "pull-request: {number} is no number of a pull request.",
                    number=f"{number[:40]!r}",
                )
            return OfPull(PullId(repository, int(number)))
        if event in ("pull_request", "pull_request_target"):
            return _pull(repository, payload["pull_request"])
        if event == "workflow_run":
            return _run(repository, payload["workflow_run"])
        if event == "issue_comment":
            return comment_request(repository, payload)
        if event == "merge_group":
            return Ignored(_QUEUED)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise UserError(
            "The payload of this {event} event lacks what GitHub sends; run the Action on "
            "pull_request, pull_request_target, workflow_run or issue_comment.",
            event=event[:40],
        ) from None
    raise UserError(
        "The event {event} names no pull request: give its number as `pull-request`, or run the "
        "Action on pull_request_target or pull_request.",
        event=event[:40],
    )


def pulls_with(client: Client, subject: OfHead) -> list[PullId]:
    """The open pull requests whose head is this commit now; none when it moved on.

    GitHub lists no pull requests in the run of a fork, and anybody may write an artifact: so they
    are looked up by branch, and their head compared. Raises GitHubError.
    """
    found = client.pages(
        f"/repos/{subject.repository}/pulls",
        most=1,
        state="open",
        head=f"{subject.owner}:{subject.branch}",
    )
    return [
        PullId(subject.repository, int(item["number"]))
        for item in found
        if item["head"]["sha"] == subject.head
    ]


def _pull(repository: str, pull: Mapping[str, Any]) -> EventSubject:
    if pull["state"] != "open":
        return Ignored(_CLOSED)
    if pull.get("draft"):
        return Ignored("A draft is checked when it is ready for review.")
    head = (pull["head"].get("repo") or {}).get("full_name")
    return OfPull(PullId(repository, int(pull["number"])), from_fork=head != repository)


def _run(repository: str, run: Mapping[str, Any]) -> EventSubject:
    if run["event"] not in ("pull_request", "pull_request_target"):
        return Ignored("The workflow ran for no pull request.")
    if run["head_repository"] is None:
        return Ignored("The fork that the workflow ran for is gone.")
    owner = run["head_repository"]["owner"]["login"]
    return OfHead(repository, _matched(_COMMIT, run["head_sha"]), owner, str(run["head_branch"]))


def comment_request(repository: str, payload: Mapping[str, Any]) -> Ignored | CommandRequest:
    """What a comment asks for, of the Action and of the App alike.

    Raises KeyError or TypeError for a payload that lacks what GitHub sends.
    """
    issue, comment = payload["issue"], payload["comment"]
    if not issue.get("pull_request"):
        return Ignored("The comment is on an issue.")
    if issue["state"] != "open":
        return Ignored(_CLOSED)
    if payload["action"] not in ("created", "edited"):
        return Ignored("Only a comment that is written or edited asks for something.")
    author = comment["user"]
    if author["type"] != "User" or payload["sender"]["type"] != "User":
        return Ignored("Commands of bots are not carried out.")
    if not may_hold(comment["body"] or ""):
        return Ignored("The comment holds no command.")
    before = ""
    if payload["action"] == "edited":
        changed = (payload.get("changes") or {}).get("body")
        if not changed:
            return Ignored("The edit did not change the comment's text.")
        # Who may edit another's comment must not act in that one's name.
        if payload["sender"]["login"] != author["login"]:
            return Ignored("The comment was edited by somebody else than its author.")
        before = changed.get("from") or ""
    return CommandRequest(
        pull=PullId(repository, int(issue["number"])),
        comment=int(comment["id"]),
        author=str(author["login"]),
        body=comment["body"] or "",
        before=before,
        node=str(comment.get("node_id") or ""),
    )


def _matched(pattern: re.Pattern[str], text: str) -> str:
    if not pattern.match(text):
        raise ValueError(text)
    return text
