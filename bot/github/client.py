"""One way to GitHub's REST and GraphQL API, through PyGithub: counted, bounded, patient.

PyGithub holds the connection, the authentication and the API's addresses. Attempts are repeated
here and not by its `GithubRetry`, which waits as long as a `retry-after` header tells it to; and
writes are paced here, since PyGithub would count GraphQL's questions as writes.
"""

from __future__ import annotations

import json
import logging
import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from bot import __version__
from bot.base.errors import UserError
from bot.base.secrets import Secret
from bot.github import failures
from bot.github.errors import GitHubError, LimitedError, UnreachableError

if TYPE_CHECKING:
    from github import Auth
    from github.Requester import Requester

LOG = logging.getLogger("bot.github")

_PER_PAGE = 100
_NEXT_CURSOR = re.compile(r'[?&]cursor=([^&>]+)[^>]*>; rel="next"')
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where GitHub is, by the variables that GitHub Actions sets."""

    api: str = "https://api.github.com"
    graphql: str = ""
    """Empty: beside the API, as PyGithub derives it."""
    server: str = "https://github.com"

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Addresses:
        """From GITHUB_API_URL, GITHUB_GRAPHQL_URL and GITHUB_SERVER_URL.

        Raises UserError when one is not an https address (plain http only for this machine), or
        when the GraphQL API is on another host than the token is meant for.
        """
        found = cls(
            api=_address(environment, "GITHUB_API_URL", cls().api),
            graphql=_address(environment, "GITHUB_GRAPHQL_URL", ""),
            server=_address(environment, "GITHUB_SERVER_URL", cls().server),
        )
        if found.graphql and urlsplit(found.graphql)[:2] != urlsplit(found.api)[:2]:
            raise UserError(
                "GITHUB_GRAPHQL_URL and GITHUB_API_URL name different hosts; the token is sent to "
                "one host alone."
            )
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to wait, and for what."""

    between_writes: float = 1.0
    """Seconds from one write to the next, as GitHub asks of those who write a lot."""
    attempts: int = 4
    """Attempts of one request in all."""
    first_pause: float = 1.0
    """Seconds before the second attempt; doubled for each further one."""
    longest_wait: float = 90.0
    """Seconds that a rate limit is waited for at most, per request."""
    timeout: int = 20
    """Seconds for one answer."""


class Pace:
    """When the next write may be made: clients that write for the same installation share one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free = float("-inf")

    def turn(self, between: float) -> float:
        """Take the next turn; returns the seconds until it comes."""
        with self._lock:
            now = time.monotonic()
            at = max(now, self._free)
            self._free = at + between
        return at - now

    def written(self, between: float) -> None:
        """The write is answered; the next one keeps its distance from here."""
        with self._lock:
            self._free = max(self._free, time.monotonic() + between)


@dataclass(frozen=True, slots=True)
class Sent:
    """One request that was made."""

    method: str
    path: str
    """Path without the query; "/graphql NAME" for GraphQL, with the name of the operation."""
    status: int | None
    """None when there was no answer."""
    seconds: float
    write: bool


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A write that was not made, since it was a rehearsal."""

    method: str
    path: str
    body: Mapping[str, Any]

    def __str__(self) -> str:
        text = json.dumps(self.body, ensure_ascii=False)
        return f"{self.method} {self.path} with {len(text):,} characters"


@dataclass(slots=True)
class Client:
    """Asks GitHub and writes to it. Not for several threads at once; make one for each."""

    auth: Auth.Auth
    """PyGithub's; `client_of` makes one from a token."""
    addresses: Addresses = field(default_factory=Addresses)
    patience: Patience = field(default_factory=Patience)
    etags: dict[str, tuple[str, tuple[Any, dict[str, str]]]] = field(default_factory=dict)
    """Answers that are asked for conditionally; several clients may share it (304 is free)."""
    secrets: tuple[Secret, ...] = ()
    """Taken out of every sentence and log line."""
    sleep: Callable[[float], None] = time.sleep
    pace: Pace = field(default_factory=Pace)
    log: list[Sent] = field(default_factory=list)
    rehearsed: list[Rehearsed] | None = None
    """A list: nothing is written, and what would have been stands here."""
    _requester: Requester | None = None

    def get(self, path: str, **parameters: str | int) -> Any:
        """The JSON at a REST path; asked for conditionally when it was seen before.

        Raises GitHubError.
        """
        return self._get(path, parameters)[0]

    def pages(self, path: str, *, most: int, **parameters: str | int) -> Iterator[Any]:
        """The items of a list, page by page of 100, up to `most` pages. Raises GitHubError."""
        for page in range(1, most + 1):
            asked = {**parameters, "per_page": _PER_PAGE, "page": page}
            items, headers = self._get(path, asked)
            yield from items
            if 'rel="next"' not in headers.get("link", ""):
                return

    def cursor_pages(self, path: str, *, most: int) -> Iterator[Any]:
        """The items of a list that GitHub pages by a cursor, up to `most` pages of 100.

        Raises GitHubError.
        """
        cursor: dict[str, str | int] = {}
        for _ in range(most):
            items, headers = self._get(path, {"per_page": _PER_PAGE, **cursor})
            yield from items
            found = _NEXT_CURSOR.search(headers.get("link", ""))
            if found is None:
                return
            cursor = {"cursor": unquote(found[1])}

    def write(self, method: str, path: str, body: Mapping[str, Any], *, repeat: bool = True) -> Any:
        """Changes something: POST, PATCH, PUT or DELETE.

        With `repeat`, a request without an answer is sent again, so what it makes may come about
        twice. Raises GitHubError.
        """
        if self.rehearsed is not None:
            self.rehearsed.append(Rehearsed(method, path, body))
            return {}
        sent = body or None
        return self._repeated(method, path, {}, {}, sent, path, write=True, repeat=repeat)[0]

    def graphql(self, query: str, variables: Mapping[str, Any], *, name: str) -> dict[str, Any]:
        """The data of a GraphQL question; `name` is for the log. Raises GitHubError."""
        return self._graphql(query, variables, name, write=False)

    def mutate(self, query: str, variables: Mapping[str, Any], *, name: str) -> dict[str, Any]:
        """The data of a GraphQL mutation. Raises GitHubError."""
        if self.rehearsed is not None:
            self.rehearsed.append(Rehearsed("POST", f"/graphql {name}", variables))
            return {}
        return self._graphql(query, variables, name, write=True)

    def close(self) -> None:
        """Closes the connection."""
        if self._requester is not None:
            self._requester.close()
            self._requester = None

    def _graphql(
        self, query: str, variables: Mapping[str, Any], name: str, *, write: bool
    ) -> dict[str, Any]:
        url = self.addresses.graphql or self._connection().graphql_url
        sent = {"query": query, "variables": dict(variables)}
        shown = f"/graphql {name}"
        answer, _ = self._repeated("POST", url, {}, {}, sent, shown, write=write, repeat=True)
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, dict):
            raise UnreachableError(
                "GitHub's GraphQL API gave an answer without data; try again later."
            )
        return data

    def _get(self, path: str, parameters: Mapping[str, str | int]) -> tuple[Any, dict[str, str]]:
        key = f"{path}?{json.dumps(parameters, sort_keys=True)}"
        known = self.etags.get(key)
        headers = {"If-None-Match": known[0]} if known else {}
        data, answered = self._repeated(
            "GET", path, parameters, headers, None, path, write=False, repeat=True
        )
        if known and answered.get(":status") == "304":
            return known[1]
        if etag := answered.get("etag"):
            self.etags[key] = (etag, (data, answered))
        return data, answered

    def _repeated(
        self,
        method: str,
        url: str,
        parameters: Mapping[str, str | int],
        headers: Mapping[str, str],
        body: Any,
        shown: str,
        *,
        write: bool,
        repeat: bool,
    ) -> tuple[Any, dict[str, str]]:
        waited = 0.0
        for attempt in range(1, self.patience.attempts + 1):
            if write and (left := self.pace.turn(self.patience.between_writes)) > 0:
                self.sleep(left)
            outcome = self._once(method, url, parameters, headers, body, shown, write=write)
            if isinstance(outcome, tuple):
                return outcome
            error, pause = outcome.error, outcome.wait
            lost = isinstance(error, UnreachableError) and write and not repeat
            if not outcome.again or lost or attempt == self.patience.attempts:
                if isinstance(error, LimitedError):
                    error.wait = pause
                raise error
            if pause is None:
                pause = self.patience.first_pause * 2 ** (attempt - 1) * random.uniform(1, 1.25)  # noqa: S311
            waited += pause
            if waited > self.patience.longest_wait:
                limit = LimitedError(
                    f"{error} That is {pause:,.0f} s, longer than rlbot waits; run it again then.",
                    error.status,
                )
                limit.wait = pause
                raise limit
            LOG.warning("%s %s: %s Waiting %.1f s.", method, shown, error, pause)
            self.sleep(pause)
        raise AssertionError("unreachable")

    def _once(
        self,
        method: str,
        url: str,
        parameters: Mapping[str, str | int],
        headers: Mapping[str, str],
        body: Any,
        shown: str,
        *,
        write: bool,
    ) -> tuple[Any, dict[str, str]] | failures.RequestFailure:
        from github import GithubException
        from requests.exceptions import RequestException

        start = time.monotonic()
        status: int | None = None
        try:
            status, answered, text = self._connection().requestJson(
                method, url, dict(parameters), dict(headers), body
            )
        except RequestException as error:
            return failures.no_answer(error, self.addresses.api)
        except GithubException as error:
            # Signing in as an App's installation is a request of its own.
            return failures.of_answer(error.status, dict(error.headers or {}), error.data, shown)
        except RuntimeError as error:
            # PyGithub follows a 301 to the same host only, and says so when it does not.
            return failures.redirected(error, self.addresses.api)
        finally:
            took = time.monotonic() - start
            self.log.append(Sent(method, shown, status, took, write))
            LOG.info("%s %s: %s in %.2f s", method, shown, status or "no answer", took)
            if write:
                self.pace.written(self.patience.between_writes)
        try:
            data = json.loads(text) if text else None
        except ValueError:
            data = None
            if status < 300:
                status = 502
        if status >= 300 and status != 304:
            return self._scrubbed(failures.of_answer(status, answered, data, shown))
        if shown.startswith("/graphql") and (failed := failures.of_graphql(data, answered)):
            return self._scrubbed(failed)
        return data, {**answered, ":status": str(status)}

    def _scrubbed(self, failure: failures.RequestFailure) -> failures.RequestFailure:
        sentence = str(failure.error)
        for secret in self.secrets:
            sentence = sentence.replace(secret.reveal(), "***") if secret else sentence
        failure.error.args = (sentence,)
        return failure

    def _connection(self) -> Requester:
        if self._requester is None:
            from github import Github

            self._requester = Github(
                auth=self.auth,
                base_url=self.addresses.api,
                timeout=self.patience.timeout,
                user_agent=f"rlbot/{__version__}",
                per_page=_PER_PAGE,
                retry=None,
                seconds_between_requests=None,
                seconds_between_writes=None,
            ).requester
        return self._requester


def client_of(token: Secret, environment: Mapping[str, str] | None = None) -> Client:
    """A client for a person's or a workflow's token, at the addresses of the environment.

    Raises UserError when an address is wrong.
    """
    from github import Auth

    addresses = Addresses.of(os.environ if environment is None else environment)
    return Client(Auth.Token(token.reveal()), addresses, secrets=(token,))


def _address(environment: Mapping[str, str], name: str, otherwise: str) -> str:
    text = environment.get(name, "").rstrip("/")
    if not text:
        return otherwise
    parts = urlsplit(text)
    local = parts.scheme == "http" and parts.hostname in _LOOPBACK
    if not (parts.scheme == "https" or local) or not parts.hostname or parts.username:
        raise UserError(f"{name} must be an https address without a user name; got {text!r}.")
    return text


__all__ = ["Addresses", "Client", "GitHubError", "Patience", "Sent", "client_of"]
