"""The answer that a pull request has now: read right before something is written.

One GraphQL question; PyGithub would make one of REST for comments, checks and reviews each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bot.base.fast_dataclass import dataclass
from bot.github import queries
from bot.github.answer import CHECK, is_marked, mark_of
from bot.github.client import Client
from bot.github.errors import NotFoundError
from bot.github.failures import understood
from bot.github.pull import (
    IssueComment,
    NamedCheck,
    PullId,
    PullRequest,
    checks_of,
    comments_of,
    further_comments,
    with_checks,
)

_CHECKS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """The head and our own comments, at one moment."""

    node: str = ""
    """The pull request's id for GraphQL; empty where it was not asked for."""
    repository: str = ""
    """Its repository's id for GraphQL; empty where it was not asked for."""
    head: str
    state: str
    """OPEN, CLOSED or MERGED."""
    ours: tuple[IssueComment, ...]
    """Comments that we wrote and that hold the marker, oldest first."""
    reviewed: str = ""
    """What our own reviews say, one after the other."""
    checks: tuple[NamedCheck, ...] | None = None
    """The check runs of our name on the head; None where that is not known."""

    @classmethod
    def with_pull(cls, pull: PullRequest) -> Posted | None:
        """What stood there when the pull request was read; None where not all comments were."""
        if not pull.comments_complete:
            return None
        ours = tuple(c for c in pull.comments if c.ours and is_marked(c.body))
        return cls(head=pull.head, state=pull.state, ours=ours, checks=pull.checks)

    def current(self) -> IssueComment | None:
        """The comment that counts: of the visible ones the newest, of this head if there is one.

        Every run chooses the same one from the same list, so that runs side by side agree.
        """
        visible = [comment for comment in self.ours if not comment.hidden]
        return max(visible, key=lambda c: (self._is_of_head(c), c.id), default=None)

    def _is_of_head(self, comment: IssueComment) -> bool:
        mark = mark_of(comment.body)
        return mark is not None and mark.head == self.head


@understood
def read_posted(client: Client, pull: PullId, *, reviews: bool = False, checks: bool) -> Posted:
    """Read the head, the comments and, if asked for, reviews and check runs.

    One request for 100 comments.

    Raises GitHubError.
    """
    variables = queries.about(pull.repository, number=pull.number, reviews=reviews)
    ask = with_checks if checks else Client.graphql
    data = ask(client, queries.operation("Comments"), variables)
    found = (data.get("repository") or {}).get("pullRequest")
    if not found:
        raise NotFoundError("The pull request {pull} is not there any more.", 404, pull=pull)
    return posted_of(client, pull, found, checks=checks)


@understood
def posted_of(client: Client, pull: PullId, found: Mapping[str, Any], *, checks: bool) -> Posted:
    """What GraphQL's answer on a pull request says; further comments are asked for.

    Raises GitHubError.
    """
    more, _ = further_comments(client, pull, found["comments"])
    comments = [*comments_of(found["comments"]), *more]
    return Posted(
        node=found.get("id") or "",
        repository=(found.get("repository") or {}).get("id") or "",
        head=found["headRefOid"],
        state=found["state"],
        ours=tuple(c for c in comments if c.ours and is_marked(c.body)),
        reviewed="\n".join(_reviewed(found.get("reviews") or {})),
        checks=checks_of(found) if checks else None,
    )


def _reviewed(reviews: Mapping[str, Any]) -> Iterator[str]:
    for review in reviews.get("nodes") or ():
        if review and review["viewerDidAuthor"]:
            yield from (comment["body"] for comment in review["comments"]["nodes"] or () if comment)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedCheck:
    """The newest check run of ours on a commit, for one pull request."""

    id: int
    done: bool
    external_id: str
    annotations: int
    """How many annotations it has."""


def mark(pull: PullId) -> str:
    """How the external ids of a pull request's check runs begin."""
    return f"{CHECK}:{pull.number}:"


@understood
def read_check(client: Client, pull: PullId, head: str) -> PostedCheck | None:
    """The newest check run of ours for a pull request; None when there is none.

    Raises GitHubError.
    """
    path = f"/repos/{pull.repository}/commits/{head}/check-runs"
    answer = client.get(path, check_name=CHECK, filter="latest", per_page=_CHECKS)
    ours = [
        run for run in answer["check_runs"] if str(run.get("external_id")).startswith(mark(pull))
    ]
    newest: dict[str, Any] | None = max(ours, key=lambda run: int(run["id"]), default=None)
    if newest is None:
        return None
    return PostedCheck(
        id=int(newest["id"]),
        done=newest["status"] == "completed",
        external_id=newest["external_id"],
        annotations=int(newest["output"].get("annotations_count") or 0),
    )
