"""GitHub's REST and GraphQL API, through PyGithub.

PyGithub keeps the connection, signs in (as an App too, whose tokens it renews), derives GraphQL's
address and follows no redirect to another host. What stands here it does not do:

- Attempts: its `GithubRetry` waits as long as any `retry-after` says, sends every POST once more,
  and sees neither a 429 without that header nor the limits inside GraphQL's answers.
- Pace: its own is that of one client, and counts GraphQL's questions as writes; GitHub limits all
  clients of an installation together.
- Reading: it takes a page of a proxy, and a redirect that it does not follow, for an answer.
- Sentences: its exceptions do not say what to do, and quote what GitHub quotes, tokens included.
- Pages: its lists are of its own objects, without the attempts above.
- The log of requests, and dry runs.
"""

from __future__ import annotations

import json
import logging
import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias

from bot import __version__
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, sentence_of
from bot.base.regex import regex
from bot.base.secrets import Secret
from bot.github import failures
from bot.github.addresses import Addresses
from bot.github.errors import GitHubError, LimitedError, UnreachableError

if TYPE_CHECKING:
    # Importing PyGithub takes longer than a check of a script.
    from github import Auth
    from github.Requester import Requester

LOG = logging.getLogger("bot.github")

_PER_PAGE = 100
_OPERATION = regex(r"(query|mutation) (\w+)")
_OF_PEOPLE = ("ghp_", "github_pat_", "gho_", "ghu_")
"""How the tokens begin that stand for a person: personal ones, and what an App gets of its users,
after GitHub's "About authentication to GitHub"."""


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


Repeat: TypeAlias = bool | Callable[[], Any]
"""Whether a write is sent once more where its answer was lost, so that what it makes may come about
twice. A function looks for that first: what it finds is the answer, and None is nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHubRequest:
    """One request: as it is sent, as the log has it, and as a dry run shows it."""

    method: str
    path: str
    """Path without the query; "/graphql NAME" for GraphQL, with the name of the operation."""
    url: str = ""
    """Where it is sent, if not to the path."""
    parameters: Mapping[str, str | int] = field(default_factory=dict)
    body: Any = None
    write: bool = False
    repeat: Repeat = True
    graphql: bool = False
    parts: bool = False
    """True when an answer of GraphQL counts although a part of it failed."""

    def __str__(self) -> str:
        text = json.dumps(self.body, ensure_ascii=False)
        return f"{self.method} {self.path} with {len(text):,} characters"


@dataclass(slots=True)
class Client:
    """Reads from GitHub and writes to it. Not for several threads at once; make one for each."""

    auth: Auth.Auth
    """PyGithub's; `client_of` makes one from a token."""
    addresses: Addresses = field(default_factory=Addresses)
    patience: Patience = field(default_factory=Patience)
    secrets: tuple[Secret, ...] = ()
    """Taken out of everything that GitHub says of a failure."""
    sleep: Callable[[float], None] = time.sleep
    pace: Pace = field(default_factory=Pace)
    log: list[GitHubRequest] = field(default_factory=list)
    """What was sent, each attempt of it."""
    dry_run: list[GitHubRequest] | None = None
    """A list: nothing is written, and what would have been stands here."""
    _requester: Requester = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        from github import Github

        self._requester = Github(
            auth=self.auth,
            base_url=self.addresses.api,
            timeout=self.patience.timeout,
            user_agent=f"rlbot/{__version__}",
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
        ).requester

    @property
    def is_person(self) -> bool:
        """Whether the token is known to be a person's, by how GitHub begins such tokens."""
        from github import Auth

        return isinstance(self.auth, Auth.Token) and self.auth.token.startswith(_OF_PEOPLE)

    @property
    def remaining(self) -> int | None:
        """Requests left by the last answer that said so; None before one did."""
        left, _limit = self._requester.rate_limiting
        return None if left < 0 else left

    def get(self, path: str, **parameters: str | int) -> Any:
        """The JSON at a REST path. Raises GitHubError."""
        return self._send(GitHubRequest(method="GET", path=path, parameters=parameters))[0]

    def pages(
        self, path: str, *, most: int, inside: str = "", **parameters: str | int
    ) -> Iterator[Any]:
        """The items of a list, page by page of 100, up to `most` pages.

        `inside` names the list where the answer is an object. Raises GitHubError.
        """
        from requests.utils import parse_header_links

        request = GitHubRequest(
            method="GET", path=path, parameters={**parameters, "per_page": _PER_PAGE}
        )
        for _ in range(most):
            data, headers = self._send(request)
            yield from data[inside] if inside else data
            links = parse_header_links(headers.get("link", ""))
            following = [link["url"] for link in links if link.get("rel") == "next"]
            if not following:
                return
            # PyGithub takes the path and the query of it alone, so that the host stays.
            request = GitHubRequest(method="GET", path=path, url=following[0])

    def write(
        self, method: str, path: str, body: Mapping[str, Any], *, repeat: Repeat = True
    ) -> Any:
        """Changes something: POST, PATCH, PUT or DELETE. Raises GitHubError."""
        what = GitHubRequest(method=method, path=path, body=body or None, write=True, repeat=repeat)
        return self._send(what)[0]

    def graphql(
        self,
        query: str,
        variables: Mapping[str, Any],
        *,
        repeat: Repeat = True,
        parts: bool = False,
    ) -> dict[str, Any]:
        """The data of a GraphQL query, or of mutations, each with a name. Raises GitHubError.

        GitHub carries out a mutation although another one failed: with `parts` a failed one has its
        GitHubError in the place of its payload.
        """
        kind, name = _OPERATION.findall(query)[0]
        request = GitHubRequest(
            method="POST",
            path=f"/graphql {name.lower()}",
            body={"query": query, "variables": dict(variables)},
            write=kind == "mutation",
            repeat=repeat,
            graphql=True,
            parts=parts,
        )
        data: dict[str, Any] = self._send(request)[0]
        return data

    def close(self) -> None:
        """Closes the connection."""
        self._requester.close()

    def _send(self, request: GitHubRequest) -> tuple[Any, Mapping[str, str]]:
        """The data and the headers of the answer, after as many attempts as it takes."""
        if request.write and self.dry_run is not None:
            self.dry_run.append(request)
            return {}, {}
        waited = 0.0
        for attempt in range(1, self.patience.attempts + 1):
            if request.write and (left := self.pace.turn(self.patience.between_writes)) > 0:
                self.sleep(left)
            try:
                return self._attempt(request)
            except GitHubError as error:
                lost = isinstance(error, UnreachableError)
                final = attempt == self.patience.attempts or (lost and not request.repeat)
                if final or not error.again:
                    raise
                pause = self._pause(error, attempt)
                waited += pause
                if waited > self.patience.longest_wait:
                    raise LimitedError(
                        "{error} That is {pause} s, longer than rlbot waits; run it again then.",
                        error.status,
                        wait=pause,
                        error=sentence_of(error),
                        pause=f"{pause:,.0f}",
                    ) from None
                LOG.warning("%s %s: %s Waiting %.1f s.", request.method, request.path, error, pause)
            self.sleep(pause)
            if lost and callable(request.repeat) and (found := request.repeat()) is not None:
                return found, {}
        raise AssertionError("unreachable")

    def _pause(self, error: GitHubError, attempt: int) -> float:
        """Seconds until the next attempt: as GitHub asks, else longer each time."""
        if error.wait is not None:
            return error.wait
        shortest = self.patience.first_pause * 2.0 ** (attempt - 1)
        return shortest * random.uniform(1, 1.25)  # noqa: S311

    def _attempt(self, request: GitHubRequest) -> tuple[Any, Mapping[str, str]]:
        from github import GithubException
        from requests.exceptions import RequestException

        start = time.monotonic()
        shown: object = "no answer"
        graphql = self._requester.graphql_url if request.graphql else ""
        try:
            status, headers, text = self._requester.requestJson(
                request.method,
                graphql or request.url or request.path,
                dict(request.parameters),
                input=request.body,
            )
            shown = status
        except RequestException as error:
            raise failures.no_answer(error, self.addresses.api) from None
        except GithubException as error:
            # Signing in as an App's installation is a request of its own.
            shown = f"signing in was answered {error.status}"
            data = self._scrubbed(json.dumps(error.data))
            headers = dict(error.headers or {})
            raise self._failure(error.status, headers, data, request) from None
        except RuntimeError as error:
            # PyGithub follows a 301 to the same host only, and says so when it does not.
            raise failures.redirected(error, self.addresses.api) from None
        finally:
            self.log.append(request)
            took = time.monotonic() - start
            LOG.info("%s %s: %s in %.2f s", request.method, request.path, shown, took)
            if request.write:
                self.pace.written(self.patience.between_writes)
        return self._parse_answer(request, status, headers, text)

    def _failure(
        self, status: int, headers: Mapping[str, Any], data: object, request: GitHubRequest
    ) -> GitHubError:
        from github import Auth

        app = isinstance(self.auth, (Auth.AppAuth, Auth.AppInstallationAuth))
        return failures.of_answer(status, headers, data, request.path, app=app)

    def _parse_answer(
        self, request: GitHubRequest, status: int, headers: Mapping[str, str], text: str
    ) -> tuple[Any, Mapping[str, str]]:
        try:
            data = json.loads(text) if text else None
        except (ValueError, RecursionError):
            status = status if status >= 300 else 502
        if status >= 300:
            raise self._failure(status, headers, self._scrubbed(text), request)
        if not request.graphql:
            return data, headers
        answer = data if isinstance(data, dict) else {}
        if answer.get("errors"):
            errors = self._scrubbed(json.dumps(answer["errors"]))
            if not (request.parts and failures.is_in_part(answer)):
                raise failures.of_graphql(errors, headers)
            return failures.outcomes(answer["data"], errors, headers), headers
        if not isinstance(answer.get("data"), dict):
            raise UnreachableError(
                message("GitHub's GraphQL API gave an answer without data; try again later.")
            )
        return answer["data"], headers

    def _scrubbed(self, text: str) -> Any:
        """The JSON of an answer without our secrets; None for anything else."""
        for secret in self.secrets:
            text = text.replace(secret.reveal(), "***") if secret else text
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return None


def client_of(token: Secret, environment: Mapping[str, str] | None = None) -> Client:
    """A client for a person's or a workflow's token, at the addresses of the environment.

    Raises UserError when an address is wrong.
    """
    from github import Auth

    addresses = Addresses.of(os.environ if environment is None else environment)
    return Client(Auth.Token(token.reveal()), addresses, secrets=(token,))
