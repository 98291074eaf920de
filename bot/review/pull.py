"""A pull request on GitHub, checked and answered: `rlbot pr`, the Action and the App use it."""

from __future__ import annotations

from dataclasses import replace

from bot.base.fast_dataclass import dataclass
from bot.github.answer import Answer, answer_of, is_marked
from bot.github.posted import Posted
from bot.github.publish import EVERYWHERE, Channels, PublishResult, publish
from bot.github.pull import PullRequest
from bot.github.remote import GitHubChange
from bot.review.check import CheckedChange, CheckRequest, check_change

_ROUNDS = 3
"""How often a pull request is checked because its head moved meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredPull:
    """A pull request as it was read, the report on it, and what was published."""

    change: GitHubChange
    checked: CheckedChange
    answer: Answer
    published: PublishResult

    @property
    def pull(self) -> PullRequest:
        """The pull request as it was read."""
        return self.change.pull


def answer_for(pull: PullRequest, checked: CheckedChange) -> Answer:
    """The answer that a checked pull request gets."""
    added = frozenset(path for path, kind in pull.files.items() if kind == "ADDED")
    return answer_of(
        checked.report,
        touches=checked.touches,
        sources=checked.sources,
        page=checked.page,
        conversation=replace(checked.conversation, added=added),
    )


def answer_pull(
    change: GitHubChange,
    request: CheckRequest,
    *,
    head: str | None = None,
    channels: Channels = EVERYWHERE,
) -> AnsweredPull:
    """Check a pull request and publish the answer.

    `head` is a commit, or the beginning of one, that the head must be. When the head moves
    meanwhile, the new one is read and checked, a few times at most; the result says when it is
    superseded even so. Raises UserError.
    """
    for attempt in range(_ROUNDS):
        if attempt:
            change = change.reread()
        if head is not None:
            change.require_head(head)
        pull = change.pull
        checked = check_change(change, request)
        answer = answer_for(pull, checked)
        published = PublishResult()
        # A comment of ours may have to be corrected.
        ours = any(comment.ours and is_marked(comment.body) for comment in pull.comments)
        if answer.touches or ours or not pull.comments_complete:
            seen = Posted.with_pull(pull)
            published = publish(change.client, pull.id, answer, channels, seen=seen)
        if not published.superseded:
            break
    return AnsweredPull(change=change, checked=checked, answer=answer, published=published)
