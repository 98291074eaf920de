"""One request to a server: bounded in time and size, no redirect followed, no file opened."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import field
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from bot.base.errors import system_reason
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message

_MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    """HTTP status; 0 when nothing came back, and `problem` says why."""
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case."""
    problem: str = ""

    @property
    def why(self) -> str:
        """Why it is not the answer that was wanted."""
        return self.problem or message("it answered with status {status}", status=self.status)

    def json(self) -> Any:
        """The body as JSON; None when it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


class _Stay(urllib.request.HTTPRedirectHandler):
    """A key must not follow a redirect to another host."""

    def redirect_request(self, *_: object) -> None:
        return None


def ask(
    url: str, *, headers: Mapping[str, str] | None = None, data: bytes | None = None, timeout: float
) -> Reply:
    """Send one request to an http or https address; never raises."""
    if urlsplit(url).scheme not in ("http", "https"):
        return Reply(0, problem="it is no http or https address")
    request = urllib.request.Request(  # noqa: S310 - the scheme is checked above
        url, data=data, headers={"User-Agent": "rlbot-doctor", **(headers or {})}
    )
    opener = urllib.request.build_opener(_Stay)
    try:
        with opener.open(request, timeout=timeout) as answer:
            return _reply(answer.status, answer.read(_MOST), answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return _reply(error.code, error.read(_MOST), error.headers)
    except urllib.error.URLError as error:
        return Reply(0, problem=_failure_reason(error.reason))
    except (OSError, HTTPException, ValueError) as error:
        return Reply(0, problem=_failure_reason(error))


def _reply(status: int, body: bytes, headers: Any) -> Reply:
    return Reply(status, body, {name.lower(): value for name, value in headers.items()})


def _failure_reason(error: object) -> str:
    if isinstance(error, TimeoutError):
        return message("it did not answer in time")
    if isinstance(error, ssl.SSLCertVerificationError):
        return message("its certificate is not trusted ({why})", why=error.verify_message)
    if isinstance(error, OSError) and error.strerror:
        return system_reason(error)
    return str(error) or type(error).__name__
