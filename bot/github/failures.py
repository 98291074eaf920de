"""Answers that are not the wanted ones: what they mean, and whether to ask again.

After GitHub's "Rate limits for the REST API" and "Troubleshooting the REST API": a limit answers
403 or 429, with `retry-after` or with `x-ratelimit-remaining: 0` and `x-ratelimit-reset`; where
neither is given, a minute is to be waited. GraphQL says the same inside an answer of status 200.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.base.messages import message
from bot.github.errors import (
    GitHubError,
    LimitedError,
    NotAllowedError,
    NotFoundError,
    RefusedError,
    UnreachableError,
)

_MINUTE = 60.0
_TEXT = 300


@dataclass(frozen=True, slots=True)
class RequestFailure:
    """An attempt that did not succeed."""

    error: GitHubError
    again: bool
    """True when another attempt may succeed."""
    wait: float | None = None
    """Seconds that GitHub asks to wait; None when it asks for nothing."""


def of_answer(status: int, headers: Mapping[str, Any], data: object, shown: str) -> RequestFailure:
    """What an answer with a status that is no success means."""
    text = _message(data)
    if status == 401:
        sentence = message(
            "GitHub does not accept the token: it is wrong, revoked or expired. Give another one "
            "in GITHUB_TOKEN."
        )
        return RequestFailure(NotAllowedError(sentence, status), again=False)
    if status in (403, 429):
        return _forbidden(status, headers, text, shown)
    if status in (404, 410):
        sentence = message("GitHub has no {what}, or the token may not see it.", what=shown)
        return RequestFailure(NotFoundError(sentence, status), again=False)
    if status >= 500:
        sentence = message(
            "GitHub answered with status {status}; it may be down (githubstatus.com).",
            status=status,
        )
        return RequestFailure(UnreachableError(sentence, status), again=True, wait=_after(headers))
    sentence = message(
        "GitHub refused {what} with status {status}: {why}.",
        what=shown,
        status=status,
        why=text or message("without a reason"),
    )
    return RequestFailure(RefusedError(sentence, status), again=False)


def of_graphql(data: object, headers: Mapping[str, Any]) -> RequestFailure | None:
    """What the errors inside an answer of GraphQL mean; None when it has none."""
    errors = data.get("errors") if isinstance(data, dict) else None
    if not errors:
        return None
    first = errors[0] if isinstance(errors, list) and isinstance(errors[0], dict) else {}
    kind, text = str(first.get("type") or ""), _clip(str(first.get("message") or ""))
    if kind == "RATE_LIMITED":
        return _limited(200, headers, text)
    if kind == "NOT_FOUND":
        return RequestFailure(NotFoundError(_says(text), 404), again=False)
    if kind in ("FORBIDDEN", "INSUFFICIENT_SCOPES"):
        return _forbidden(403, {}, text, "/graphql")
    if kind == "UNPROCESSABLE":
        sentence = message("GitHub refused: {message}.", message=text)
        return RequestFailure(RefusedError(sentence, 422), again=False)
    # Without a type it is GitHub's own trouble, such as "Something went wrong".
    return RequestFailure(UnreachableError(_says(text), 502), again=not kind)


def _says(text: str) -> str:
    return message("GitHub says: {message}.", message=text)


def no_answer(error: Exception, api: str) -> RequestFailure:
    """What a broken connection means; the exception's text may hold headers and stays out."""
    kind = type(error).__name__
    sentence = message(
        "{api} gave no answer ({kind}); check the network and GITHUB_API_URL.", api=api, kind=kind
    )
    return RequestFailure(UnreachableError(sentence), again=True)


def redirected(error: RuntimeError, api: str) -> RequestFailure:
    """A redirect that is not followed: to another host or scheme, or in a circle."""
    what = (
        message("in a circle") if isinstance(error, RecursionError) else message("to another place")
    )
    sentence = message(
        "{api} redirects {what}, where the token is not sent; check GITHUB_API_URL.",
        api=api,
        what=what,
    )
    return RequestFailure(UnreachableError(sentence, 301), again=False)


def _forbidden(status: int, headers: Mapping[str, Any], text: str, shown: str) -> RequestFailure:
    lower = text.lower()
    exhausted = headers.get("x-ratelimit-remaining") == "0" and "rate limit" in lower
    if status == 429 or "retry-after" in headers or exhausted or "rate limit" in lower:
        return _limited(status, headers, text)
    if "resource not accessible" in lower:
        sentence = message(
            "The token may not do this here. Pull requests from forks get a read-only token under "
            "`pull_request`; otherwise grant the job `pull-requests: write` and `checks: write`."
        )
    elif "authenticate via a github app" in lower:
        sentence = message("Check runs are for Apps; this token belongs to a person.")
    elif "saml" in lower or "sso" in lower:
        sentence = message(
            "The organisation asks for SSO: authorise the token for it in your settings."
        )
    elif "archived" in lower:
        sentence = message("The repository is archived, so nothing can be written to it.")
    elif "locked" in lower or "blocked" in lower:
        sentence = message("GitHub lets nobody write here: {message}.", message=text)
    else:
        why = text or message("without a reason")
        sentence = message("The token may not do {what}: {why}.", what=shown, why=why)
    return RequestFailure(NotAllowedError(sentence, status), again=False)


def _limited(status: int, headers: Mapping[str, Any], text: str) -> RequestFailure:
    wait = _after(headers)
    if wait is None and headers.get("x-ratelimit-remaining") == "0":
        reset = str(headers.get("x-ratelimit-reset", ""))
        if reset.isdigit():
            # A second more: nobody says when in that second the limit is lifted.
            wait = max(int(reset) - time.time(), 0.0) + 1
    primary = "secondary" not in text.lower() and "abuse" not in text.lower()
    why = message("this token's requests of the hour are used up")
    if not primary:
        why = message("too much at once")
    when = ""
    if wait is not None:
        lifted = time.strftime("%H:%M:%S", time.gmtime(time.time() + wait))
        when = message(" until {time} UTC", time=lifted)
    sentence = message("GitHub limits the rate of requests{when}: {why}.", when=when, why=why)
    return RequestFailure(
        LimitedError(sentence, status), again=True, wait=_MINUTE if wait is None else wait
    )


def _after(headers: Mapping[str, Any]) -> float | None:
    text = str(headers.get("retry-after", ""))
    return float(text) if text.isdigit() else None


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
