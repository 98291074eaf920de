"""What is read of GitHub's webhook payloads, with a bound for each value."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

_Number: TypeAlias = Annotated[int, Field(gt=0, lt=1 << 53)]
"""GitHub's number of a thing: what JSON and a database can hold without loss."""
_PullNumber: TypeAlias = Annotated[int, Field(gt=0, lt=1 << 31)]
_FullName: TypeAlias = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$", max_length=140)
]
_Login: TypeAlias = Annotated[str, Field(pattern=r"^[\x21-\x7e]+$", max_length=100)]
_AccountName: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$", max_length=100)]
_Oid: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
_Moment: TypeAlias = Annotated[str, Field(pattern=r"^[\x21-\x7e]+$", max_length=40)]
_Action: TypeAlias = Annotated[str, Field(pattern=r"^[a-z_]+$", max_length=40)]
_Word: TypeAlias = Annotated[str, Field(max_length=40)]


class _Payload(BaseModel):
    """A part of a payload: what is not named here is not looked at."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class _RepositoryPayload(_Payload):
    full_name: _FullName
    id: _Number


class _Numbered(_Payload):
    """An App, or an installation of it."""

    id: _Number


class _CommitPayload(_Payload):
    sha: _Oid


class _SenderPayload(_Payload):
    login: _Login
    type: _Word = "User"


class _PullPayload(_Payload):
    number: _PullNumber
    state: _Word
    draft: bool = False
    head: _CommitPayload
    body: str | None = None
    updated_at: _Moment


class _FormerText(_Payload):
    value: str | None = Field(None, alias="from")


class _TextChanges(_Payload):
    body: _FormerText | None = None
    base: dict[str, Any] | None = None


class RepositoryWebhook(_Payload):
    """What the events about a repository share."""

    action: _Action
    repository: _RepositoryPayload
    installation: _Numbered | None = None
    sender: _SenderPayload

    @property
    def installation_id(self) -> int | None:
        """The App's installation that was told."""
        return self.installation.id if self.installation else None


class PullRequestEvent(RepositoryWebhook):
    """A pull request was opened, pushed to, edited and so on."""

    pull_request: _PullPayload
    changes: _TextChanges | None = None


class _IssuePayload(_Payload):
    number: _PullNumber
    state: _Word
    pull_request: dict[str, Any] | None = None


class _CommentPayload(_Payload):
    id: _Number
    node_id: str = ""
    body: str
    user: _SenderPayload
    updated_at: _Moment


class CommentEvent(RepositoryWebhook):
    """A comment on an issue or a pull request."""

    issue: _IssuePayload
    comment: _CommentPayload
    changes: _TextChanges | None = None


class _PullReference(_Payload):
    number: _PullNumber


class _CheckSuitePayload(_Payload):
    id: _Number
    head_sha: _Oid
    app: _Numbered | None = None
    pull_requests: list[_PullReference] = []


class CheckRunPayload(_CheckSuitePayload):
    """A check run, of whichever App."""

    external_id: str | None = None


class _RequestedAction(_Payload):
    identifier: str = Field(max_length=20)


class CheckRunEvent(RepositoryWebhook):
    """A check run changed, or a button of it was pressed."""

    check_run: CheckRunPayload
    requested_action: _RequestedAction | None = None


class CheckSuiteEvent(RepositoryWebhook):
    """All check runs of a commit were asked for again."""

    check_suite: _CheckSuitePayload


class _InstalledAccount(_Payload):
    login: _AccountName | None = None
    """None for an enterprise."""


class _InstalledPayload(_Numbered):
    account: _InstalledAccount | None = None


class InstallationEvent(_Payload):
    """`installation` and `installation_repositories`."""

    action: _Action
    installation: _InstalledPayload
    repositories: list[_RepositoryPayload] = []
    repositories_added: list[_RepositoryPayload] = []
    repositories_removed: list[_RepositoryPayload] = []
