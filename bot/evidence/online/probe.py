"""The first question to a server, asked without the SDK: who may read this run, and with which key.

One small GraphQL request over the standard library, without a key first. The SDK would follow
redirects, hide why a request failed behind its retries, and answer nobody without a key.
"""

from __future__ import annotations

import base64
import urllib.request
from functools import partial
from typing import Any, Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.secrets import Secret
from bot.evidence.json_values import parsed, text
from bot.evidence.online.bounds import Bounds
from bot.evidence.online.failure import ReadFailure, ReadingError, ReadStage, kind_of
from bot.evidence.online.json_server import ServerRun
from bot.evidence.online.requests import RefusedRequest, insist, request_of, send

OPEN: Final = frozenset({"USER_READ", "USER_WRITE"})
"""Values of a project's access that let everybody see it."""
_QUERY = """query RunAccess($entity: String!, $project: String!, $name: String!) {
  project(name: $project, entityName: $entity) {%s run(name: $name) { name } }
}"""
_REFUSED: Final = (401, 403)
_MAX_ANSWER: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Visibility:
    """What one caller sees of a run."""

    project: bool
    run: bool
    access: str | None = None
    """The project's access as the server words it; None when it does not say."""


@dataclass(frozen=True, slots=True)
class AccessProbe:
    """Asks one server about one run."""

    run: ServerRun
    bounds: Bounds

    def ails(self, key: Secret | None) -> ReadFailure | None:
        """What is wrong with the server at this moment, asked once; None when it answers."""
        try:
            outcome = self._once(self._request(_QUERY % "", key))
            if not isinstance(outcome, ReadFailure):
                _content_or_status(outcome)
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
            return Visibility(
                project=True,
                run=isinstance(project.get("run"), dict),
                access=text(project.get("access")),
            )
        raise ReadingError(ReadFailure(kind="garbage", stage=ReadStage.RUN))

    def _request(self, query: str, key: Secret | None) -> urllib.request.Request:
        run = self.run
        variables = {"entity": run.entity, "project": run.project, "name": run.run_id}
        headers = {}
        if key is not None:
            token = base64.b64encode(f"api:{key.reveal()}".encode()).decode()
            headers["Authorization"] = Secret(f"Basic {token}")
        body = {"query": query, "variables": variables}
        return request_of(f"{run.server}/graphql", headers, body)

    def _answer(self, query: str, key: Secret | None) -> dict[str, Any] | int:
        once = partial(self._once, self._request(query, key))
        return _content_or_status(insist(once, self.bounds.retry_seconds))

    def _once(self, request: urllib.request.Request) -> bytes | RefusedRequest | ReadFailure:
        return send(request, self.bounds.stall_seconds, _MAX_ANSWER)


def _content_or_status(answer: bytes | RefusedRequest) -> dict[str, Any] | int:
    """What an answer says, or the status of a refusal; raises ReadingError where it is none."""
    if isinstance(answer, RefusedRequest):
        return answer.status
    if len(answer) > _MAX_ANSWER:
        detail = message("more than {count} bytes for one line", count=_MAX_ANSWER)
        raise ReadingError(ReadFailure(kind="too-much", stage=ReadStage.RUN, detail=detail))
    if (found := parsed(answer)) is None:
        raise ReadingError(ReadFailure(kind="garbage", stage=ReadStage.RUN))
    return found


@dataclass(frozen=True, slots=True)
class ReadPermission:
    """How a run may be read."""

    key: Secret | None
    """None to read as anybody."""
    private: bool = False
    """Whether not everybody can see it."""


def read_permission(probe: AccessProbe) -> ReadPermission:
    """The key to read with, and whether what is read is private.

    A run counts as public when it is seen without a key, or when the server says that its project
    is open to all. Raises ReadingError when the run may not, or cannot, be read.
    """
    key = probe.run.key
    anybody = probe.ask(None)
    public = isinstance(anybody, Visibility) and anybody.run
    if key is None:
        if public:
            return ReadPermission(None)
        if isinstance(anybody, Visibility) and anybody.project:
            raise ReadingError(ReadFailure(kind="not-found"))
        if isinstance(anybody, int) and anybody not in _REFUSED:
            raise ReadingError(ReadFailure(kind="http", status=anybody, stage=ReadStage.RUN))
        raise ReadingError(ReadFailure(kind="no-key"))
    own = probe.ask(key)
    if isinstance(own, int):
        if public:
            return ReadPermission(None)  # A stale key is no reason not to read what everybody may.
        raise ReadingError(ReadFailure(kind=kind_of(own), status=own))
    if not own.run:
        if public:
            return ReadPermission(None)
        raise ReadingError(ReadFailure(kind="not-found"))
    private = not public and own.access not in OPEN
    if private and not probe.run.allow_private:
        raise ReadingError(ReadFailure(kind="private"))
    return ReadPermission(key, private)
