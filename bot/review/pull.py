"""A pull request on GitHub, read, checked and answered: the way that every door to GitHub takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.base.errors import UserError
from bot.base.messages import message
from bot.github.answer import Answer, answer_of, is_marked
from bot.github.publish import EVERYWHERE, Channels, PublishResult, publish
from bot.github.pull import PullId, PullRequest, read_pull
from bot.github.remote import GitHubChange
from bot.review.check import CheckedChange, CheckRequest, check_change

if TYPE_CHECKING:
    from bot.github.blobs import Contents
    from bot.github.client import Client

_ROUNDS = 3
"""How often a pull request is checked anew because its head moved meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPull:
    """A pull request as it was read, and what was found."""

    pull: PullRequest
    checked: CheckedChange


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredPull(CheckedPull):
    """A pull request that was answered."""

    published: PublishResult


def check_pull(
    client: Client,
    pull: PullId,
    asked: CheckRequest,
    *,
    head: str | None = None,
    contents: Contents | None = None,
) -> CheckedPull:
    """Read a pull request and check it; the head is resolved once and everything is read there.

    `head` is a commit, or the beginning of one, that the head must be. `contents` may be shared by
    several calls. Raises UserError.
    """
    read = read_pull(client, pull)
    if head is not None and not read.head.startswith(head.lower()):
        raise UserError(
            message(
                "The head of {pull} is {head}, not {asked}: it has moved on.",
                pull=read.id,
                head=read.head[:12],
                asked=head[:40],
            )
        )
    change = (
        GitHubChange(client, read) if contents is None else GitHubChange(client, read, contents)
    )
    return CheckedPull(pull=read, checked=check_change(change, asked))


def answer_for(done: CheckedPull) -> Answer:
    """The answer that a checked pull request gets."""
    checked = done.checked
    return answer_of(
        checked.report,
        touches=checked.touches,
        sources=checked.sources,
        page=checked.page,
        added=frozenset(path for path, kind in done.pull.files.items() if kind == "ADDED"),
    )


def answer_pull(
    client: Client,
    pull: PullId,
    asked: CheckRequest,
    *,
    head: str | None = None,
    contents: Contents | None = None,
    channels: Channels = EVERYWHERE,
) -> AnsweredPull:
    """Check a pull request and publish the answer; see `check_pull`.

    When the head moves meanwhile, the new one is checked, a few times at most; the result says
    when it is superseded even so. Raises UserError.
    """
    for _ in range(_ROUNDS):
        done = check_pull(client, pull, asked, head=head, contents=contents)
        checked = done.checked
        if not checked.touches and done.pull.comments_complete and not _said(done.pull):
            return AnsweredPull(pull=done.pull, checked=checked, published=PublishResult())
        published = publish(client, done.pull.id, answer_for(done), channels)
        if not published.superseded:
            break
    return AnsweredPull(pull=done.pull, checked=checked, published=published)


def _said(pull: PullRequest) -> bool:
    """True when a comment of ours may have to be corrected."""
    return any(comment.ours and is_marked(comment.body) for comment in pull.comments)
