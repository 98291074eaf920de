"""The state of the stand-in: accounts, repositories over real git objects, and what was written."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.github.objects import Link, Objects
from tests.github.outage import Outage

Permission = Literal["none", "read", "triage", "write", "maintain", "admin"]
ORDER: tuple[Permission, ...] = ("none", "read", "triage", "write", "maintain", "admin")
READ_ONLY = {"contents": "read", "pull_requests": "read", "checks": "read", "metadata": "read"}
FULL = {
    "contents": "write",
    "pull_requests": "write",
    "issues": "write",
    "checks": "write",
    "statuses": "write",
    "metadata": "read",
    "actions": "read",
}


@dataclass(eq=False)
class Account:
    id: int
    login: str
    kind: Literal["User", "Bot", "Organization"] = "User"


@dataclass(eq=False)
class App:
    id: int
    slug: str
    bot: Account
    public_key: str = ""
    """PEM; requests of the App itself are signed with the private one."""
    permissions: Mapping[str, str] = field(default_factory=lambda: dict(FULL))
    events: tuple[str, ...] = ("check_run", "issue_comment", "pull_request", "repository")


@dataclass(eq=False)
class Installation:
    id: int
    app: App
    repositories: tuple[str, ...]
    suspended: bool = False


@dataclass(eq=False)
class Identity:
    """Who a token stands for, and what it may do."""

    account: Account
    app: App | None = None
    """Set for the tokens of an installation and of workflows."""
    permissions: Mapping[str, str] | None = None
    """None: what the account may do."""
    repositories: frozenset[str] | None = None
    """None: all that the account may see."""
    remaining: int = 5_000
    reset: int = field(default_factory=lambda: int(time.time()) + 3_600)
    expires: float | None = None
    writes: list[float] = field(default_factory=list)


@dataclass(eq=False)
class Repository:
    id: int
    owner: Account
    name: str
    objects: Objects
    parent: Repository | None = None
    private: bool = False
    archived: bool = False
    default_branch: str = "main"
    collaborators: dict[str, Permission] = field(default_factory=dict)
    gone: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    def ref(self, branch: str) -> str:
        return f"refs/repositories/{self.id}/heads/{branch}"

    def head(self, branch: str) -> str | None:
        return self.objects.ref(self.ref(branch))

    def commit(
        self,
        branch: str,
        files: Mapping[str, bytes | str | Link | None],
        *,
        start: str | None = None,
        message: str = "change",
        author: str = "Ada <1815+ada-l@users.noreply.github.com>",
    ) -> str:
        """A commit on a branch, which is made from `start` (a commit) when there is none yet."""
        parent = self.head(branch) or start
        return self.objects.commit(
            self.ref(branch), files, parent=parent, message=message, author=author
        )


@dataclass(eq=False)
class Comment:
    id: int
    author: Account
    body: str
    pull: Pull
    created: str
    updated: str
    minimized: str | None = None
    deleted: bool = False
    app: App | None = None
    history: list[str] = field(default_factory=list)
    """Every body that it had."""


@dataclass(eq=False)
class Review:
    id: int
    author: Account
    body: str
    commit: str
    comments: list[dict[str, Any]]


@dataclass(eq=False)
class Reaction:
    id: int
    account: Account
    content: str
    created: str


@dataclass(eq=False)
class Pull:
    number: int
    repository: Repository
    head_repository: Repository | None
    head_branch: str
    base_branch: str
    author: Account
    title: str
    body: str
    state: Literal["open", "closed", "merged"] = "open"
    locked: bool = False
    draft: bool = False
    maintainer_can_modify: bool = True
    frozen_head: str | None = None
    frozen_base: str | None = None
    comments: list[Comment] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)

    @property
    def head(self) -> str:
        """The newest commit of the head's branch."""
        now = self.head_repository.head(self.head_branch) if self.head_repository else None
        if now is not None:
            self.frozen_head = now
        assert self.frozen_head is not None
        return self.frozen_head

    @property
    def base(self) -> str:
        now = self.repository.head(self.base_branch)
        if now is not None:
            self.frozen_base = now
        assert self.frozen_base is not None
        return self.frozen_base

    def visible(self) -> list[Comment]:
        return [c for c in self.comments if not c.deleted and c.minimized is None]


@dataclass(eq=False)
class CheckRun:
    id: int
    app: App
    head: str
    repository: Repository
    name: str
    external_id: str
    status: str
    conclusion: str | None
    title: str
    summary: str
    annotations: list[dict[str, Any]]
    completed: str | None
    actions: list[dict[str, str]] = field(default_factory=list)
    """Its buttons."""


@dataclass(eq=False)
class Status:
    id: int
    account: Account
    state: str
    context: str
    description: str


@dataclass(frozen=True)
class Call:
    """One request that reached the stand-in."""

    method: str
    path: str
    status: int
    login: str | None
    body: Any = None


@dataclass
class Fault:
    """An answer that is given in the place of the right one."""

    method: str
    """FIELD for one field of a question to GraphQL, by its alias, with a sentence as the body."""
    path: str
    """A regular expression of the path; GraphQL is `/graphql NAME`."""
    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    times: int = 1
    after: bool = False
    """The request is carried out first, and only its answer lost."""


@dataclass
class Store:
    folder: Path
    accounts: dict[str, Account] = field(default_factory=dict)
    repositories: dict[str, Repository] = field(default_factory=dict)
    moved: dict[str, Repository] = field(default_factory=dict)
    """Old full names."""
    pulls: dict[tuple[int, int], Pull] = field(default_factory=dict)
    checks: list[CheckRun] = field(default_factory=list)
    statuses: dict[str, list[Status]] = field(default_factory=dict)
    reactions: dict[int, list[Reaction]] = field(default_factory=dict)
    """Of comments, by their ids."""
    tokens: dict[str, Identity] = field(default_factory=dict)
    apps: dict[int, App] = field(default_factory=dict)
    conversions: dict[str, tuple[App, str, str]] = field(default_factory=dict)
    """Code of a manifest to the App, its private key, and its webhook secret; good once."""
    installations: dict[int, Installation] = field(default_factory=dict)
    runs: dict[int, tuple[Repository, str, str]] = field(default_factory=dict)
    """Workflow runs: repository, head branch, head commit."""
    faults: list[Fault] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    meanwhile: list[tuple[str, Callable[[], object]]] = field(default_factory=list)
    """What happens once, right before the answer to a request whose path fits is sent."""
    outage: Outage | None = None
    files_limit: int = 3_000
    writes_per_minute: int | None = None
    """The secondary limit on content; None: never reached."""
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(3_000_000_001))
    """Above 2**31, as GitHub's are."""

    def next_id(self) -> int:
        return next(self._ids)

    def now(self) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def account(self, login: str, kind: Literal["User", "Bot", "Organization"] = "User") -> Account:
        if login not in self.accounts:
            self.accounts[login] = Account(len(self.accounts) + 1_001, login, kind)
        return self.accounts[login]

    def repository(self, full_name: str, *, private: bool = False) -> Repository:
        """A new, empty repository of an organisation."""
        login, _, name = full_name.partition("/")
        made = Repository(
            id=len(self.repositories) + 501,
            owner=self.account(login, "Organization"),
            name=name,
            objects=Objects(self.folder / f"{len(self.repositories)}.git"),
            private=private,
        )
        self.repositories[full_name] = made
        return made

    def fork(self, parent: Repository, login: str) -> Repository:
        """A fork, which shares the objects of its parent."""
        made = Repository(
            id=len(self.repositories) + 501,
            owner=self.account(login),
            name=parent.name,
            objects=parent.objects,
            parent=parent,
        )
        made.collaborators[login] = "admin"
        self.repositories[made.full_name] = made
        return made

    def rename(self, repository: Repository, full_name: str) -> None:
        """The old name leads to the new one from now on."""
        old = repository.full_name
        login, _, repository.name = full_name.partition("/")
        repository.owner = self.account(login, "Organization")
        self.moved[old] = repository
        self.repositories[full_name] = self.repositories.pop(old)
        for made in self.installations.values():
            names = [full_name if name == old else name for name in made.repositories]
            made.repositories = tuple(names)

    def pull(
        self,
        repository: Repository,
        head: Repository,
        branch: str,
        *,
        author: str | None = None,
        title: str = "Add a tuning script",
        body: str = "",
        base: str = "main",
    ) -> Pull:
        """A new pull request."""
        number = 1 + sum(pull.repository is repository for pull in self.pulls.values())
        made = Pull(
            number=number,
            repository=repository,
            head_repository=head,
            head_branch=branch,
            base_branch=base,
            author=self.account(author) if author else head.owner,
            title=title,
            body=body,
        )
        _ = made.head, made.base
        self.pulls[repository.id, number] = made
        return made

    def comment(self, pull: Pull, author: Account, body: str, app: App | None = None) -> Comment:
        """A new comment, by whomever."""
        now = self.now()
        made = Comment(self.next_id(), author, body, pull, now, now, app=app, history=[body])
        pull.comments.append(made)
        return made

    def find_comment(self, number: int) -> Comment | None:
        for pull in self.pulls.values():
            for comment in pull.comments:
                if comment.id == number and not comment.deleted:
                    return comment
        return None

    def app(self, slug: str, public_key: str = "", **permissions: str) -> App:
        number = len(self.apps) + 15_368
        bot = self.account(f"{slug}[bot]", "Bot")
        made = App(number, slug, bot, public_key, permissions or dict(FULL))
        self.apps[number] = made
        return made

    def workflow_token(self, repository: Repository, permissions: Mapping[str, str] = FULL) -> str:
        """A GITHUB_TOKEN of a workflow in a repository."""
        actions = next((app for app in self.apps.values() if app.slug == "github-actions"), None)
        app = actions or self.app("github-actions")
        token = f"ghs_{self.next_id()}"
        self.tokens[token] = Identity(
            app.bot, app, permissions, frozenset([repository.full_name]), remaining=1_000
        )
        return token

    def person_token(self, login: str) -> str:
        """A personal access token."""
        token = f"ghp_{self.next_id()}"
        self.tokens[token] = Identity(self.account(login))
        return token

    def install(self, app: App, *repositories: Repository) -> Installation:
        made = Installation(self.next_id(), app, tuple(r.full_name for r in repositories))
        self.installations[made.id] = made
        return made

    def permission(self, repository: Repository, login: str) -> Permission:
        """What an account may do in a repository."""
        if login == repository.owner.login:
            return "admin"
        return repository.collaborators.get(login, "none" if repository.private else "read")
