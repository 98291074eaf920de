"""One request to the stand-in: who asks, for what, and whether they may."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from tests.github.hooks import Hook
from tests.github.store import ORDER, App, Comment, Identity, Permission, Pull, Repository, Store
from tests.github.views import Views

INTEGRATION = "Resource not accessible by integration"


class ProblemError(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers or {}


@dataclass
class Context:
    store: Store
    views: Views
    identity: Identity | None
    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    """Of the answer."""
    app: App | None = None
    """The App that signed the request itself."""
    hooks: list[Hook] = field(default_factory=list)
    later: list[Callable[[], object]] = field(default_factory=list)
    """What is done after the answer."""

    def repository(self, owner: str, repo: str) -> Repository:
        """Raises ProblemError when there is none, or the asker may not know of it."""
        full_name = f"{owner}/{repo}"
        found = self.store.repositories.get(full_name)
        if found is None and (moved := self.store.moved.get(full_name)):
            rest = self.path.removeprefix(f"/repos/{full_name}")
            query = f"?{urlencode(self.query)}" if self.query else ""
            location = f"{self.views.api}/repositories/{moved.id}{rest}{query}"
            raise ProblemError(301, "Moved Permanently", {"Location": location})
        if found is None or found.gone or not self.sees(found):
            raise ProblemError(404, "Not Found")
        return found

    def sees(self, repository: Repository) -> bool:
        if not repository.private:
            return True
        if self.identity is None:
            return False
        if self.identity.repositories is not None:
            return repository.full_name in self.identity.repositories
        return self.store.permission(repository, self.identity.account.login) != "none"

    def asker(self) -> Identity:
        if self.identity is None:
            raise ProblemError(401, "Requires authentication")
        return self.identity

    def need(self, repository: Repository, *scopes: str, person: Permission = "read") -> Identity:
        """One of the scopes with write for an App's token, `person` for a person's."""
        asker = self.asker()
        if asker.permissions is not None:
            inside = asker.repositories is None or repository.full_name in asker.repositories
            if not inside or all(asker.permissions.get(scope) != "write" for scope in scopes):
                raise ProblemError(403, INTEGRATION)
        elif ORDER.index(self.store.permission(repository, asker.account.login)) < ORDER.index(
            person
        ):
            raise ProblemError(403, "Must have admin rights to Repository.")
        if repository.archived:
            raise ProblemError(403, "Repository was archived so is read-only.")
        return asker

    def pull(self, repository: Repository, number: str | int) -> Pull:
        found = self.store.pulls.get((repository.id, int(number)))
        if found is None:
            raise ProblemError(404, "Not Found")
        return found

    def comment(self, repository: Repository, number: str | int) -> Comment:
        found = self.store.find_comment(int(number))
        if found is None or found.pull.repository is not repository:
            raise ProblemError(404, "Not Found")
        return found

    def page(self, items: list[Any]) -> list[Any]:
        """One page of a list, and the header that leads to the others."""
        size = min(int(self.query.get("per_page", "30")), 100)
        page = int(self.query.get("page", "1"))
        last = max(1, -(-len(items) // size))
        links = {"next": page + 1, "last": last} if page < last else {}
        if page > 1:
            links |= {"first": 1, "prev": page - 1}
        if links:
            self.headers["Link"] = ", ".join(
                f"<{self.views.api}{self.path}?{urlencode({**self.query, 'page': number})}>; "
                f'rel="{name}"'
                for name, number in links.items()
            )
        return items[(page - 1) * size : page * size]
