"""GitHub's refusals and outages: what each means, and whether to try again.

After GitHub's "Rate limits for the REST API" and "Troubleshooting the REST API": a limit answers
403 or 429, with `retry-after` or with `x-ratelimit-remaining: 0` and `x-ratelimit-reset`; where
neither is given, a minute is to be waited. GraphQL says the same inside an answer of status 200.
Which limit, and why else something is refused, only GitHub's message says.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from bot.base.digits import natural_number
from bot.base.messages import mark, message
from bot.github.errors import (
    GitHubError,
    LimitedError,
    NotAllowedError,
    NotFoundError,
    Refusal,
    RefusedError,
    UnreachableError,
)

LOG = logging.getLogger("bot.github")

P = ParamSpec("P")
R = TypeVar("R")

_MINUTE = 60.0
_YEAR: Final = 366 * 86_400
"""Seconds that a wait is at most, so that its end is a date."""
_REFUSALS: Final = ("UNPROCESSABLE", "STALE_DATA", "BRANCH_PROTECTION_RULE_VIOLATION")
"""Types of GraphQL's errors that another attempt does not change."""
_TEXT = 300
_PHRASES: Final = {
    "not accessible by personal": Refusal.PERSONAL,
    "resource not accessible": Refusal.READ_ONLY,
    "authenticate via a github app": Refusal.APPS_ONLY,
    "saml": Refusal.SSO,
    " sso": Refusal.SSO,
    "archived": Refusal.ARCHIVED,
    "locked": Refusal.LOCKED,
    "blocked": Refusal.LOCKED,
}
"""What GitHub's messages hold, in lower case; the first that fits counts."""
_NOT_ALLOWED: Final = {
    Refusal.PERSONAL: mark(
        "The personal access token may not do this here; give it this repository and the "
        "permission in its settings."
    ),
    Refusal.READ_ONLY: mark(
        "The token may not do this here. Pull requests from forks get a read-only token under "
        "`pull_request`; otherwise grant the job `pull-requests: write` and `checks: write`."
    ),
    Refusal.APPS_ONLY: mark("Check runs are for Apps; this token belongs to a person."),
    Refusal.SSO: mark(
        "The organisation asks for SSO: authorise the token for it in your settings."
    ),
    Refusal.ARCHIVED: mark("The repository is archived, so nothing can be written to it."),
    Refusal.LOCKED: mark("GitHub lets nobody write here: {why}."),
}
"""What each refusal means."""


def of_answer(
    status: int, headers: Mapping[str, Any], data: object, what: str, *, app: bool = False
) -> GitHubError:
    """What an answer with a status that is no success means; `app` for one to an App's key."""
    text = _message(data)
    if status == 401 and app:
        sentence = message(
            "GitHub does not accept the App's key: this machine's clock is a minute off, or the "
            "key is not the App's. `rlbot doctor` says how to fix either."
        )
        return NotAllowedError(sentence, status)
    if status == 401:
        sentence = message(
            "GitHub does not accept the token: it is wrong, revoked or expired. Give another one "
            "in GITHUB_TOKEN."
        )
        return NotAllowedError(sentence, status)
    if status in (403, 429):
        return _forbidden(status, headers, text, what)
    if status in (404, 410):
        return NotFoundError(
            "GitHub has no {what}, or the token may not see it.", status, what=what
        )
    if status >= 500:
        sentence = message(
            "GitHub answered with status {status}; it may be down (githubstatus.com).",
            status=status,
        )
        return UnreachableError(sentence, status, again=True, wait=_after(headers))
    sentence = message(
        "GitHub refused {what} with status {status}: {why}.",
        what=what,
        status=status,
        why=text or message("without a reason"),
    )
    return RefusedError(sentence, status, refusal=_refusal(text))


def of_graphql(errors: object, headers: Mapping[str, Any]) -> GitHubError:
    """What the errors inside an answer of GraphQL mean."""
    first = errors[0] if errors and isinstance(errors, list) and isinstance(errors[0], dict) else {}
    kind, text = str(first.get("type") or ""), _clip(str(first.get("message") or ""))
    if kind == "RATE_LIMITED":
        return _limited(200, headers, text)
    if kind == "NOT_FOUND":
        return NotFoundError("GitHub says: {message}.", 404, message=text)
    if kind in ("FORBIDDEN", "INSUFFICIENT_SCOPES"):
        return _forbidden(403, {}, text, "/graphql")
    if kind in _REFUSALS or _code(first) == "undefinedField":
        # An older Enterprise Server does not know every mutation.
        return RefusedError("GitHub refused: {message}.", 422, message=text)
    # Without a type it is GitHub's own trouble, such as "Something went wrong".
    return UnreachableError("GitHub says: {message}.", 502, again=not kind, message=text)


def is_in_part(answer: Mapping[str, Any]) -> bool:
    """Whether an answer of GraphQL with errors says what became of each field."""
    data, errors = answer.get("data"), answer["errors"]
    if not isinstance(data, dict) or not isinstance(errors, list):
        return False
    return any(value is not None for value in data.values()) or all(map(_path, errors))


def outcomes(
    data: Mapping[str, Any], errors: Sequence[object], headers: Mapping[str, Any]
) -> dict[str, Mapping[str, Any] | GitHubError | None]:
    """What each field of GraphQL's answer gave, or why it failed."""
    found = dict(data)
    for field in [name for name, value in data.items() if value is None and errors]:
        own = [error for error in errors if _path(error)[:1] == [field]]
        found[field] = of_graphql(own or list(errors), headers)
    return found


def _path(error: object) -> list[object]:
    path = error.get("path") if isinstance(error, dict) else None
    return path if isinstance(path, list) else []


def understood(function: Callable[P, R]) -> Callable[P, R]:
    """What reads answers of GitHub: one of another form than it documents is an UnreachableError.

    A proxy, or another server, may answer anything with status 200.
    """

    @wraps(function)
    def reading(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            LOG.debug("%s: an answer of another form", function.__name__, exc_info=True)
            sentence = message(
                "GitHub gave an answer of another form than it documents; try again later, and "
                "check GITHUB_API_URL."
            )
            raise UnreachableError(sentence, 502) from error

    return reading


def apps_only() -> NotAllowedError:
    """Why a person's token makes no check run."""
    return NotAllowedError(message(_NOT_ALLOWED[Refusal.APPS_ONLY]), 403, refusal=Refusal.APPS_ONLY)


def no_answer(error: Exception, api: str) -> GitHubError:
    """What a broken connection means; the exception's text may hold headers and stays out."""
    kind = type(error).__name__
    return UnreachableError(
        "{api} gave no answer ({kind}); check the network and GITHUB_API_URL.",
        again=True,
        api=api,
        kind=kind,
    )


def redirected(error: RuntimeError, api: str) -> GitHubError:
    """A redirect that is not followed: to another host or scheme, or in a circle."""
    what = (
        message("in a circle") if isinstance(error, RecursionError) else message("to another place")
    )
    return UnreachableError(
        "{api} redirects {what}, where the token is not sent; check GITHUB_API_URL.",
        301,
        api=api,
        what=what,
    )


def _code(error: Mapping[str, Any]) -> object:
    extensions = error.get("extensions")
    return extensions.get("code") if isinstance(extensions, dict) else None


def _refusal(text: str) -> Refusal:
    lower = text.lower()
    return next((refusal for words, refusal in _PHRASES.items() if words in lower), Refusal.OTHER)


def _forbidden(status: int, headers: Mapping[str, Any], text: str, what: str) -> GitHubError:
    if status == 429 or "retry-after" in headers or "rate limit" in text.lower():
        return _limited(status, headers, text)
    refusal = _refusal(text)
    template = _NOT_ALLOWED.get(refusal, mark("The token may not do {what}: {why}."))
    sentence = message(template, what=what, why=text or message("without a reason"))
    return NotAllowedError(sentence, status, refusal=refusal)


def _limited(status: int, headers: Mapping[str, Any], text: str) -> GitHubError:
    wait = _after(headers)
    if wait is None and headers.get("x-ratelimit-remaining") == "0":
        reset = natural_number(str(headers.get("x-ratelimit-reset", "")))
        if reset is not None:
            # A second more: nobody says when in that second the limit is lifted.
            wait = min(max(reset - time.time(), 0.0) + 1, _YEAR)
    primary = "secondary" not in text.lower() and "abuse" not in text.lower()
    why = message("this token's requests of the hour are used up")
    if not primary:
        why = message("too much at once")
    when = ""
    if wait is not None:
        lifted = time.strftime("%H:%M:%S", time.gmtime(time.time() + wait))
        when = message(" until {time} UTC", time=lifted)
    return LimitedError(
        "GitHub limits the rate of requests{when}: {why}.",
        status,
        again=True,
        wait=_MINUTE if wait is None else wait,
        when=when,
        why=why,
    )


def _after(headers: Mapping[str, Any]) -> float | None:
    seconds = natural_number(str(headers.get("retry-after", "")))
    return None if seconds is None else float(min(seconds, _YEAR))


def _message(data: object) -> str:
    if not isinstance(data, dict):
        return ""
    parts = [str(data.get("message") or "")]
    for error in data.get("errors") or () if isinstance(data.get("errors"), list) else ():
        detail = error.get("message") if isinstance(error, dict) else error
        if detail:
            parts.append(str(detail))
        elif isinstance(error, dict):
            parts.append(" ".join(str(error.get(k)) for k in ("field", "code") if error.get(k)))
    return _clip(": ".join(filter(None, parts)))


def _clip(text: str) -> str:
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= _TEXT else line[: _TEXT - 1] + "…"
