"""HTTP requests of the reading process: bounded, redirects only where the caller allows them."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import IO, Any, Final, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.secrets import Secret
from bot.evidence.online.failure import ReadFailure, ReadingError, kind_of

_CHUNK: Final = 1 << 16
_REFUSAL: Final = 1 << 14
"""Bytes of a refusal's body that are kept."""
_TRIES: Final = 3
_PATIENCE: Final = 10.0
"""Seconds of a Retry-After that are waited for."""


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """A status with which a server refused, and the beginning of what it said."""

    status: int
    body: bytes = b""


RequestAnswer: TypeAlias = bytes | RefusedRequest
"""A body, or a refusal."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    def __init__(self, follow: Callable[[str], bool] | None) -> None:
        self._follow = follow

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, *more: Any
    ) -> urllib.request.Request | None:
        """Follow one at most, where it was asked for; headers that hold keys stay behind."""
        _message, _headers, url = more
        follow, self._follow = self._follow, None
        if follow is None or not follow(url):
            # An answer of another host is no answer, and the key is for this one.
            raise ReadingError(ReadFailure(kind="redirect", status=code))
        return super().redirect_request(req, fp, code, *more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a request is made."""

    refused: frozenset[int] = frozenset({400, 401, 403})
    """Statuses that are an answer."""
    received: Callable[[int], None] | None = None
    """Told the bytes of each piece."""
    follow: Callable[[str], bool] | None = None
    """Whether an address may be followed to, once; None to follow nowhere."""


PLAIN: Final = Manner()


def request_of(
    url: str, headers: Mapping[str, Secret], body: object = None
) -> urllib.request.Request:
    """A request for JSON; `headers` hold keys, and a `body` is posted, as JSON."""
    request = urllib.request.Request(  # noqa: S310 - whoever asks has checked the scheme
        url,
        data=None if body is None else json.dumps(body).encode(),
        headers={"User-Agent": "rlbot", "Accept": "application/json"},
    )
    if body is not None:
        request.add_header("Content-Type", "application/json")
    for name, key in headers.items():
        # Unredirected: kept out of what urllib would send anywhere else.
        request.add_unredirected_header(name, key.reveal())
    return request


def send(
    request: urllib.request.Request, timeout: float, most: int, manner: Manner = PLAIN
) -> RequestAnswer | ReadFailure:
    """The answer's first `most` + 1 bytes, a refusal that is one, or a passing failure.

    `timeout` is in seconds, for each wait on the network. Raises ReadingError for what another
    attempt would not mend.
    """
    try:
        opener = urllib.request.build_opener(_Redirects(manner.follow))
        with opener.open(request, timeout=timeout) as response:
            return _body(response, most, manner.received)
    except urllib.error.HTTPError as error:
        with error:
            if error.code in manner.refused:
                return RefusedRequest(error.code, _beginning(error))
            return _failed(error.code, error.headers.get("Retry-After"))
    except ReadingError:
        raise
    except TimeoutError:
        raise ReadingError(ReadFailure(kind="hang", seconds=timeout)) from None
    except urllib.error.URLError as error:
        return _unreachable(error.reason, timeout)
    except OSError as error:
        return _unreachable(error, timeout)
    except (ValueError, LookupError):
        return ReadFailure(kind="garbage")
    except Exception as error:
        # http.client's own: a body shorter than announced, a status line that is none.
        return ReadFailure(kind="server", detail=type(error).__name__)


def insist(once: Callable[[], RequestAnswer | ReadFailure], retry_seconds: float) -> RequestAnswer:
    """What `once` gives, tried again after failures that pass.

    The pause before the second attempt is `retry_seconds`, doubled before the third. Raises
    ReadingError with the last failure.
    """
    failure = ReadFailure(kind="server")
    for attempt in range(_TRIES):
        outcome = once()
        if not isinstance(outcome, ReadFailure):
            return outcome
        failure = outcome
        pause = failure.seconds if failure.kind == "rate" else retry_seconds * (1 << attempt)
        again = failure.kind in ("rate", "server", "unreachable") and attempt + 1 < _TRIES
        if not again or pause is None or pause > _PATIENCE:
            break
        time.sleep(pause)
    raise ReadingError(failure)


def _body(
    response: http.client.HTTPResponse, most: int, received: Callable[[int], None] | None
) -> bytes:
    data = bytearray()
    while len(data) <= most and (piece := response.read1(_CHUNK)):
        data += piece
        if received is not None:
            received(len(piece))
    if len(data) <= most and response.length:
        # In pieces, Python takes a body that is shorter than announced for a whole one.
        raise http.client.IncompleteRead(bytes(data), response.length)
    return bytes(memoryview(data)[: most + 1])


def _beginning(error: urllib.error.HTTPError) -> bytes:
    try:
        return error.read(_REFUSAL)
    except (OSError, http.client.HTTPException):
        return b""


def _failed(status: int, retry_after: str | None) -> ReadFailure:
    if status == 429:
        return ReadFailure(kind="rate", status=status, seconds=_seconds(retry_after))
    if 300 <= status < 400:
        return ReadFailure(kind="redirect", status=status)
    return ReadFailure(kind=kind_of(status), status=status)


def _seconds(text: str | None) -> float:
    """Seconds of a Retry-After header; 2 without one, or with a date."""
    try:
        return max(0.0, float(text)) if text is not None else 2.0
    except ValueError:
        return 2.0


def _unreachable(reason: object, timeout: float) -> ReadFailure:
    if isinstance(reason, TimeoutError):
        raise ReadingError(ReadFailure(kind="hang", seconds=timeout))
    if isinstance(reason, ssl.SSLError):
        detail = getattr(reason, "verify_message", "") or (reason.reason or "").replace("_", " ")
        raise ReadingError(ReadFailure(kind="tls", detail=detail.lower()))
    if isinstance(reason, socket.gaierror):
        detail = message("its name is not known")
        raise ReadingError(ReadFailure(kind="unreachable", detail=detail))
    text = (reason.strerror or "") if isinstance(reason, OSError) else ""
    detail = text.lower() or message("the connection was closed")
    return ReadFailure(kind="unreachable", detail=detail)
