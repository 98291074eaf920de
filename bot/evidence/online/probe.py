"""The first question to a server, asked without the SDK: who may read this run.

One small GraphQL request over the standard library, without a key first. The SDK would follow
redirects, hide why a request failed behind its retries, and answer nobody without a key.
"""

from __future__ import annotations

import base64
import json
import socket
import ssl
import time
import urllib.error
import urllib.request
from typing import IO, Any, Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.secrets import Secret
from bot.evidence.online.failure import FailureKind, ReadFailure, ReadingError, ReadStage

OPEN: Final = frozenset({"USER_READ", "USER_WRITE"})
"""Values of a project's access that let everybody see it."""
_QUERY = """query RunAccess($entity: String!, $project: String!, $name: String!) {
  project(name: $project, entityName: $entity) {%s run(name: $name) { name } }
}"""
_MAX_ANSWER: Final = 1 << 20
_TRIES: Final = 3
_PATIENCE: Final = 10.0
"""Seconds of a Retry-After that are waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visibility:
    """What one caller sees of a run."""

    project: bool
    run: bool
    access: str | None = None
    """The project's access as the server words it; None when it does not say."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, _req: urllib.request.Request, _fp: IO[bytes], code: int, *_: Any
    ) -> None:
        """Follow none: an answer of another host is no answer, and the key is for this one."""
        raise ReadingError(ReadFailure(kind="redirect", status=code, stage=ReadStage.RUN))


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessProbe:
    """Asks one server about one run."""

    api: str
    entity: str
    project: str
    run_id: str
    timeout: float
    """Seconds for each request."""
    retry_seconds: float = 1.0
    """Pause before the second attempt; doubled before the third."""

    def ails(self, key: Secret | None) -> ReadFailure | None:
        """What is wrong with the server at this moment, asked once; None when it answers."""
        try:
            outcome = self._once(self._request(_QUERY % "", key))
        except ReadingError as error:
            return error.failure
        return outcome if isinstance(outcome, ReadFailure) else None

    def ask(self, key: Secret | None) -> Visibility | int:
        """What is seen with `key`, or the HTTP status (401, 403) with which the server refused.

        Raises ReadingError for everything else that is no answer.
        """
        for fields in (" access", ""):
            answer = self._answer(_QUERY % fields, key)
            if isinstance(answer, int):
                if answer == 400 and fields:
                    continue  # A server that does not know the field refuses the whole document.
                return answer
            data = answer.get("data")
            project = data.get("project") if isinstance(data, dict) else None
            if not isinstance(project, dict):
                if data is None and not answer.get("errors"):
                    break
                return Visibility(project=False, run=False)
            access = project.get("access")
            return Visibility(
                project=True,
                run=isinstance(project.get("run"), dict),
                access=access if isinstance(access, str) else None,
            )
        raise ReadingError(ReadFailure(kind="garbage", stage=ReadStage.RUN))

    def _request(self, query: str, key: Secret | None) -> urllib.request.Request:
        variables = {"entity": self.entity, "project": self.project, "name": self.run_id}
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(  # noqa: S310 - the scheme is checked by Access
            f"{self.api}/graphql",
            data=body,
            headers={"Content-Type": "application/json", "User-Agent": "rlbot"},
        )
        if key is not None:
            # Unredirected: kept out of what urllib would send anywhere else.
            token = base64.b64encode(f"api:{key.reveal()}".encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {token}")
        return request

    def _answer(self, query: str, key: Secret | None) -> dict[str, Any] | int:
        request = self._request(query, key)
        failure = ReadFailure(kind="server", stage=ReadStage.RUN)
        for attempt in range(_TRIES):
            outcome = self._once(request)
            if not isinstance(outcome, ReadFailure):
                return outcome
            failure = outcome
            pause = (
                failure.seconds if failure.kind == "rate" else self.retry_seconds * (1 << attempt)
            )
            again = failure.kind in ("rate", "server", "unreachable") and attempt + 1 < _TRIES
            if not again or pause is None or pause > _PATIENCE:
                break
            time.sleep(pause)
        raise ReadingError(failure)

    def _once(self, request: urllib.request.Request) -> dict[str, Any] | int | ReadFailure:
        """One request: its answer, the status of a refusal, or a failure that may pass."""
        data = self._sent(request)
        if not isinstance(data, bytes):
            return data
        if len(data) > _MAX_ANSWER:
            detail = message("more than {count} bytes for one line", count=_MAX_ANSWER)
            raise ReadingError(ReadFailure(kind="too-much", stage=ReadStage.RUN, detail=detail))
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise ReadingError(ReadFailure(kind="garbage", stage=ReadStage.RUN))
        return answer

    def _sent(self, request: urllib.request.Request) -> bytes | int | ReadFailure:
        """The first bytes of the answer to a request, a refusal's status, or what went wrong."""
        try:
            opener = urllib.request.build_opener(_NoRedirects)
            with opener.open(request, timeout=self.timeout) as response:
                data: bytes = response.read(_MAX_ANSWER + 1)
                return data
        except urllib.error.HTTPError as error:
            with error:
                return _refusal(error.code, error.headers.get("Retry-After"))
        except ReadingError:
            raise
        except TimeoutError:
            raise ReadingError(
                ReadFailure(kind="hang", stage=ReadStage.RUN, seconds=self.timeout)
            ) from None
        except urllib.error.URLError as error:
            return _unreachable(error.reason, self.timeout)
        except OSError as error:
            return _unreachable(error, self.timeout)
        except (ValueError, LookupError):
            return ReadFailure(kind="garbage", stage=ReadStage.RUN)
        except Exception as error:
            # http.client's own: a body shorter than announced, a status line that is none.
            return ReadFailure(kind="server", stage=ReadStage.RUN, detail=type(error).__name__)


def _refusal(status: int, retry_after: str | None) -> int | ReadFailure:
    if status in (400, 401, 403):
        return status
    if status == 429:
        return ReadFailure(
            kind="rate", status=status, stage=ReadStage.RUN, seconds=_seconds(retry_after)
        )
    if 300 <= status < 400:
        return ReadFailure(kind="redirect", status=status, stage=ReadStage.RUN)
    kind: FailureKind = "server" if status >= 500 else "http"
    return ReadFailure(kind=kind, status=status, stage=ReadStage.RUN)


def _seconds(text: str | None) -> float:
    """Seconds of a Retry-After header; 2 without one, or with a date."""
    try:
        return max(0.0, float(text)) if text is not None else 2.0
    except ValueError:
        return 2.0


def _unreachable(reason: object, timeout: float) -> ReadFailure:
    if isinstance(reason, TimeoutError):
        raise ReadingError(ReadFailure(kind="hang", stage=ReadStage.RUN, seconds=timeout))
    if isinstance(reason, ssl.SSLError):
        detail = getattr(reason, "verify_message", "") or (reason.reason or "").replace("_", " ")
        raise ReadingError(ReadFailure(kind="tls", stage=ReadStage.RUN, detail=detail.lower()))
    if isinstance(reason, socket.gaierror):
        detail = message("its name is not known")
        raise ReadingError(ReadFailure(kind="unreachable", stage=ReadStage.RUN, detail=detail))
    text = (reason.strerror or "") if isinstance(reason, OSError) else ""
    detail = text.lower() or message("the connection was closed")
    return ReadFailure(kind="unreachable", stage=ReadStage.RUN, detail=detail)
