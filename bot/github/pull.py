"""A pull request as GitHub describes it, before its files are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.base.errors import UserError
from bot.base.regex import regex
from bot.github import queries
from bot.github.client import Client
from bot.github.errors import NotAllowedError, NotFoundError, Refusal
from bot.github.failures import understood

MOST_PAGES_OF_FILES = 30
"""GitHub lists 3,000 files of a pull request at most, 100 a page."""

MOST_PAGES_OF_COMMENTS = 10
_SUITES = 50
"""Check suites that one question gives; behind so many there may be more."""

_SHORT = regex(r"(?P<repository>[\w.-]+/[\w.-]+)#(?P<number>[0-9]{1,9})\Z", re.ASCII)
_ADDRESS = regex(
    r"(?P<server>https?://[^/?#@]+)/(?P<repository>[\w.-]+/[\w.-]+)/pull/(?P<number>[0-9]{1,9})"
    r"(?:[/?#].*)?\Z",
    re.ASCII,
)


@dataclass(frozen=True, slots=True, order=True)
class PullId:
    """Which pull request: `OWNER/REPO` and a number."""

    repository: str
    number: int

    def __str__(self) -> str:
        return f"{self.repository}#{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueComment:
    """A comment in the conversation of a pull request."""

    id: int
    """For REST."""
    node: str
    """For GraphQL."""
    author: str
    """Login; empty when the account is gone."""
    ours: bool
    """True when the owner of the token wrote it, as GitHub says; never by what it holds."""
    hidden: bool
    """True when it is minimized."""
    body: str
    url: str
    written: str
    """When it got the text that it has, by GitHub's clock: ISO 8601 in UTC, to the second."""


@dataclass(frozen=True, slots=True)
class NamedCheck:
    """A check run of our name on the head of a pull request, whoever made it."""

    external_id: str
    done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request at one moment."""

    id: PullId
    """With the repository's name of today: GitHub knows old names too."""
    node: str
    """Its id for GraphQL."""
    private: bool
    """True when strangers cannot see the repository."""
    state: str
    """OPEN, CLOSED or MERGED."""
    body: str
    author: str
    base: str
    """Commit at the tip of the base branch."""
    base_known: bool
    """False when the base branch is gone, so that `config` was not asked for."""
    head: str
    head_branch: str
    head_repository: str | None
    """None when the fork is gone."""
    maintainer_can_modify: bool
    files: Mapping[str, str]
    """Path to ADDED, MODIFIED, RENAMED, COPIED, CHANGED or DELETED."""
    changed_files: int
    """How many files it changes; more than `files` where GitHub lists no more."""
    comments: tuple[IssueComment, ...]
    """Oldest first."""
    comments_complete: bool
    checks: tuple[NamedCheck, ...] | None = None
    """The check runs of our name on the head; None where the token may not see them."""
    config: Mapping[str, Any] | None = None
    """GraphQL's entry of `.rlbot.yml` at the base; None when there is none."""

    @property
    def from_fork(self) -> bool:
        """True when the head is in another repository."""
        return self.head_repository != self.id.repository

    def texts(self) -> tuple[str, ...]:
        """What the author wrote: the description, then comments, oldest first."""
        written = (self.body, *(c.body for c in self.comments if c.author == self.author))
        return tuple(filter(None, written))


def parse_pull(text: str, server: str = "https://github.com") -> PullId:
    """`OWNER/REPO#N` or the address of a pull request on `server`; raises UserError."""
    found = _SHORT.match(text) or _ADDRESS.match(text)
    if found is None:
        raise UserError(
            '"{text}" names no pull request; write OWNER/REPO#NUMBER or its address.',
            text=text[:200],
        )
    named = found.groupdict().get("server")
    if named and named.lower() != server.lower():
        raise UserError(
            "The pull request is on {named}, and rlbot talks to {server}; set "
            "GITHUB_SERVER_URL, GITHUB_API_URL and GITHUB_TOKEN for the other one.",
            named=named,
            server=server,
        )
    return PullId(found["repository"], int(found["number"]))


@understood
def read_pull(client: Client, pull: PullId, found: Mapping[str, Any] | None = None) -> PullRequest:
    """Asks for a pull request: one request, and one more for each further 100 files or comments.

    `found` is GraphQL's answer on it, where there is one. Raises NotFoundError with a sentence when
    there is none or the token may not see it, and other GitHubErrors.
    """
    variables = queries.about(pull.repository, number=pull.number)
    if not found:
        try:
            data = with_checks(client, queries.operation("Pull"), variables)
        except NotFoundError:
            raise _missing(pull) from None
        found = (data.get("repository") or {}).get("pullRequest")
    if not found:
        raise _missing(pull)
    read = _pull(found)
    files = found["files"] or {"pageInfo": {"hasNextPage": False}}
    pages = 1
    listed = dict(read.files)
    while files["pageInfo"]["hasNextPage"] and pages < MOST_PAGES_OF_FILES:
        following = {**variables, "files": files["pageInfo"]["endCursor"]}
        more = client.graphql(queries.operation("Files"), following)["repository"]["pullRequest"]
        if more["headRefOid"] != read.head:
            break
        files = more["files"]
        listed.update(_files(files))
        pages += 1
    comments, complete = further_comments(client, read.id, found["comments"])
    return replace(
        read, files=listed, comments=(*read.comments, *comments), comments_complete=complete
    )


def with_checks(client: Client, query: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a question that asks for check runs too, or without them.

    Not every token may see them; a mutation may thus be carried out twice. Raises GitHubError.
    """
    try:
        return client.graphql(query, {**variables, "checks": True})
    except NotAllowedError as error:
        if error.refusal not in (Refusal.READ_ONLY, Refusal.PERSONAL):
            raise
        return client.graphql(query, {**variables, "checks": False})


@understood
def further_comments(
    client: Client, pull: PullId, page: Mapping[str, Any]
) -> tuple[list[IssueComment], bool]:
    """The comments behind a page, and whether those are all. Raises GitHubError."""
    variables = queries.about(pull.repository, number=pull.number)
    found: list[IssueComment] = []
    pages = 1
    while page["pageInfo"]["hasNextPage"] and pages < MOST_PAGES_OF_COMMENTS:
        following = {**variables, "comments": page["pageInfo"]["endCursor"]}
        data = client.graphql(queries.operation("Comments"), following)
        page = data["repository"]["pullRequest"]["comments"]
        found += comments_of(page)
        pages += 1
    return found, not page["pageInfo"]["hasNextPage"]


def comments_of(page: Mapping[str, Any]) -> list[IssueComment]:
    """The comments of one page of GraphQL's answer."""
    return [
        IssueComment(
            id=int(node["fullDatabaseId"]),
            node=node["id"],
            author=(node["author"] or {}).get("login", ""),
            ours=bool(node["viewerDidAuthor"]),
            hidden=bool(node["isMinimized"]),
            body=node["body"],
            url=node["url"],
            written=node["lastEditedAt"] or node["createdAt"],
        )
        for node in page["nodes"] or ()
        if node
    ]


def checks_of(found: Mapping[str, Any]) -> tuple[NamedCheck, ...] | None:
    """The check runs of GraphQL's answer on a pull request; None where it has none of its head."""
    commits = (found.get("commits") or {}).get("nodes") or ()
    at_head = [node["commit"] for node in commits if node["commit"]["oid"] == found["headRefOid"]]
    suites = [suite for commit in at_head for suite in (commit["checkSuites"] or {})["nodes"]]
    if not at_head or len(suites) >= _SUITES:
        return None
    return tuple(
        NamedCheck(str(run["externalId"]), run["status"] == "COMPLETED")
        for suite in suites
        for run in suite["checkRuns"]["nodes"]
    )


def _pull(found: Mapping[str, Any]) -> PullRequest:
    repository = found["repository"]
    target = (found["baseRef"] or {}).get("target") or {}
    author = found["author"] or {}
    return PullRequest(
        id=PullId(repository["nameWithOwner"], found["number"]),
        node=found["id"],
        private=bool(repository["isPrivate"]),
        state=found["state"],
        body=found["body"] or "",
        author=author.get("login", ""),
        # The base branch as it is now; the commit that GitHub noted, where the branch is gone.
        base=target.get("oid") or found["baseRefOid"],
        base_known=bool(target),
        head=found["headRefOid"],
        head_branch=found["headRefName"],
        head_repository=(found["headRepository"] or {}).get("nameWithOwner"),
        maintainer_can_modify=bool(found["maintainerCanModify"]),
        files=_files(found["files"]),
        changed_files=found["changedFiles"],
        comments=tuple(comments_of(found["comments"])),
        comments_complete=True,
        checks=checks_of(found),
        config=target.get("file"),
    )


def _files(page: Mapping[str, Any] | None) -> dict[str, str]:
    return {node["path"]: node["changeType"] for node in (page or {}).get("nodes") or () if node}


def _missing(pull: PullId) -> NotFoundError:
    return NotFoundError(
        "There is no pull request {pull}, or it is private and GITHUB_TOKEN may not see it.",
        404,
        pull=pull,
    )
