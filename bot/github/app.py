"""A GitHub App: signing in, its installations, deliveries and open pull requests.

PyGithub signs in and renews the tokens; its lists of installations and deliveries lack the attempts
and the pace of `client`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, Any

from bot.base.fast_dataclass import dataclass
from bot.base.secrets import Secret
from bot.github import queries
from bot.github.addresses import Addresses
from bot.github.client import Client, Pace, Patience
from bot.github.errors import NotFoundError
from bot.github.posted import mark
from bot.github.pull import PullId

if TYPE_CHECKING:
    from github import Auth

PERMISSIONS = {
    "checks": "write",
    "contents": "read",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
}
"""What a token for checking and answering asks for; `/apply` writes contents too."""
MOST_DELIVERIES = 20
"""Pages of 100 deliveries that a sweep looks at."""

_PAGES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AppIdentity:
    """The App's id and key, and where GitHub is."""

    app_id: int
    private_key: Secret
    addresses: Addresses = field(default_factory=Addresses)
    patience: Patience = field(default_factory=Patience)

    def client(self) -> Client:
        """Speaks as the App itself, with a token that it signs."""
        return Client(self._auth(), self.addresses, self.patience, secrets=(self.private_key,))

    def installation(
        self, number: int, *, write_contents: bool = False, pace: Pace | None = None
    ) -> Client:
        """Speaks as the App in one installation; the token lives an hour and is renewed.

        `pace` is shared with other clients that write there.
        """
        permissions = {**PERMISSIONS, "contents": "write"} if write_contents else PERMISSIONS
        auth = self._auth().get_installation_auth(number, dict(permissions))
        return Client(
            auth, self.addresses, self.patience, secrets=(self.private_key,), pace=pace or Pace()
        )

    def _auth(self) -> Auth.AppAuth:
        import jwt
        from github import Auth

        def signed(payload: dict[str, Any]) -> str:
            return jwt.encode(payload, _read_key(self.private_key.reveal()), algorithm="RS256")

        return Auth.AppAuth(self.app_id, sign_func=signed)


@cache
def _read_key(pem: str) -> Any:
    """A key as the signature takes it.

    Checking a key takes a tenth of a second, and lets no other thread of the App work meanwhile.
    """
    from jwt.algorithms import RSAAlgorithm

    return RSAAlgorithm(RSAAlgorithm.SHA256).prepare_key(pem)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One attempt of GitHub to deliver a webhook."""

    id: int
    guid: str
    """The same for every attempt of one delivery."""
    delivered: bool
    """True when it was answered with a 2xx."""
    delivered_at: str
    """RFC 3339, UTC."""


def deliveries(client: Client, *, most: int = MOST_DELIVERIES) -> Iterator[Delivery]:
    """The latest attempts, newest first. Raises GitHubError."""
    for item in client.pages("/app/hook/deliveries", most=most):
        yield Delivery(
            id=int(item["id"]),
            guid=str(item["guid"]),
            delivered=200 <= int(item.get("status_code") or 0) < 300,
            delivered_at=str(item["delivered_at"]),
        )


def deliver_again(client: Client, delivery: Delivery) -> None:
    """Ask for another attempt. Raises GitHubError."""
    client.write("POST", f"/app/hook/deliveries/{delivery.id}/attempts", {})


def installations(client: Client) -> list[int]:
    """Ids of the installations that are not suspended. Raises GitHubError."""
    return [
        int(item["id"])
        for item in client.pages("/app/installations", most=100)
        if not item.get("suspended_at")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryState:
    """What GitHub says of a repository at this moment."""

    id: int
    name: str
    """owner/name, as it is now."""
    private: bool
    active: bool
    """Whether it takes pull requests."""

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> RepositoryState:
        """The state that an answer of GitHub holds."""
        return cls(
            id=int(item["id"]),
            name=str(item["full_name"]),
            private=bool(item["private"]),
            active=not item.get("archived") and not item.get("disabled"),
        )


def repositories(client: Client) -> list[RepositoryState]:
    """An installation's repositories. Raises GitHubError."""
    found = client.pages("/installation/repositories", most=100, inside="repositories")
    return [RepositoryState.of(item) for item in found]


def repository_state(client: Client, name: str) -> RepositoryState:
    """The repository of a name, also of an earlier one. Raises GitHubError."""
    return RepositoryState.of(client.get(f"/repos/{name}"))


def installation_of(client: Client, name: str) -> int | None:
    """The installation that covers a repository, asked by the App itself.

    None when there is none, or when it is suspended. Raises GitHubError.
    """
    try:
        found = client.get(f"/repos/{name}/installation")
    except NotFoundError:
        return None
    return None if found.get("suspended_at") else int(found["id"])


def is_active(client: Client, installation: int) -> bool:
    """Whether an installation is there and not suspended, asked by the App. Raises GitHubError."""
    try:
        return not client.get(f"/app/installations/{installation}").get("suspended_at")
    except NotFoundError:
        return False


@dataclass(frozen=True, slots=True)
class OpenPull:
    """An open pull request whose head we have not answered."""

    repository: str
    number: int
    head: str


def unanswered(client: Client, repository: str, app_id: int) -> Iterator[OpenPull]:
    """Open pull requests, drafts left out, whose head has no check run of the App.

    Looks at the 200 that were updated last, 50 a request. Raises GitHubError.
    """
    after: str | None = None
    for _ in range(_PAGES):
        variables = queries.about(repository, app=app_id, after=after)
        data = client.graphql(queries.operation("OpenPulls"), variables)
        page = (data.get("repository") or {}).get("pullRequests")
        if not page:
            return
        for node in page["nodes"]:
            if not node["isDraft"] and not _has_run(node):
                yield OpenPull(repository, int(node["number"]), str(node["headRefOid"]))
        if not page["pageInfo"]["hasNextPage"]:
            return
        after = page["pageInfo"]["endCursor"]


def _has_run(node: Mapping[str, Any]) -> bool:
    ours = mark(PullId("", int(node["number"])))
    return any(
        str(run["externalId"]).startswith(ours)
        for commit in node["commits"]["nodes"]
        if commit["commit"]["oid"] == node["headRefOid"]
        for suite in commit["commit"]["checkSuites"]["nodes"]
        for run in suite["checkRuns"]["nodes"]
    )
