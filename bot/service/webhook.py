"""The endpoint of webhooks: a delivery is verified, stored as a job, and answered."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Header, Request, Response
from fastapi.responses import JSONResponse

from bot.service.events import BadPayload, Ignored, read_event
from bot.service.inbox import Inbox
from bot.service.job import Job
from bot.service.logs import SUBJECT
from bot.service.metrics import Metrics
from bot.service.settings import ServiceSettings
from bot.service.signature import is_signed

MAX_BODY = 25 * 1024 * 1024
"""Bytes: GitHub sends no larger payload."""
BODY_SECONDS = 8.0
STORE_SECONDS = 8.0
"""GitHub counts a delivery as failed after 10 s, and shows a 503 as what it is."""
DELIVERY_ID = re.compile(r"[0-9A-Za-z-]{1,64}")

EVENTS = (
    "pull_request",
    "issue_comment",
    "check_run",
    "check_suite",
    "repository",
    "installation",
    "installation_repositories",
    "ping",
)
"""Those that are counted by name: a label must not be the sender's choice."""
RESPONSES: dict[int | str, dict[str, Any]] = {
    code: {"description": text}
    for code, text in {
        400: "Not a delivery of GitHub",
        401: "Wrong or missing signature",
        408: "The body came too slowly",
        413: "The body is too large",
        415: "Not application/json",
        503: "Could not store; deliver again",
    }.items()
}

_log = logging.getLogger("rlbot.web")


class _Refusal(Exception):  # noqa: N818
    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Webhooks:
    """Receives deliveries; the work is done by the jobs that it stores."""

    def __init__(self, settings: ServiceSettings, inbox: Inbox, metrics: Metrics) -> None:
        self._settings = settings
        self._inbox = inbox
        self._metrics = metrics

    async def webhook(
        self,
        request: Request,
        event: Annotated[str | None, Header(alias="X-GitHub-Event")] = None,
        delivery: Annotated[str | None, Header(alias="X-GitHub-Delivery")] = None,
        signed: Annotated[str | None, Header(alias="X-Hub-Signature-256")] = None,
    ) -> Response:
        """Take a delivery: verified, stored, answered; what it asks for is done by a job."""
        if event is None or delivery is None:
            return refused(400, "The headers X-GitHub-Event and X-GitHub-Delivery are required.")
        try:
            body = await _body_of(request, delivery)
            if not is_signed(body, signed, self._settings.webhook_secrets):
                _log.warning("a delivery with a wrong signature was refused")
                raise _Refusal(401, "The signature X-Hub-Signature-256 is missing or wrong.")
            wanted = self._read(event, delivery, body)
            if isinstance(wanted, Ignored):
                content = {"status": "ignored", "reason": wanted.reason}
            else:
                content = {"status": await self._store(wanted), "job": wanted.id}
            answer = JSONResponse(content, 202)
        except _Refusal as refusal:
            answer = refused(refusal.code, refusal.reason)
        label = event if event in EVENTS else "other"
        self._metrics.deliveries.labels(label, str(answer.status_code)).inc()
        return answer

    def _read(self, event: str, delivery: str, body: bytes) -> Job | Ignored:
        try:
            return read_event(event, delivery, json.loads(body), app_id=self._settings.app_id)
        except (ValueError, RecursionError):
            raise _Refusal(400, "The body is not JSON, or nested too deeply.") from None
        except BadPayload as error:
            reason = f"The payload is not one of the event {event[:40]}: {error}."
            raise _Refusal(400, reason) from None

    async def _store(self, job: Job) -> str:
        started = time.perf_counter()
        try:
            status = await asyncio.wait_for(self._inbox.put(job), STORE_SECONDS)
        except Exception as error:
            self._metrics.errors.labels("store").inc()
            _log.error("a delivery could not be stored", extra={"fault": type(error).__name__})
            reason = "The delivery could not be stored; deliver it again."
            raise _Refusal(503, reason) from None
        self._metrics.store_seconds.observe(time.perf_counter() - started)
        _log.info("delivery %s", status, extra={"job": job.id})
        return status


async def _body_of(request: Request, delivery: str) -> bytes:
    if not DELIVERY_ID.fullmatch(delivery):
        raise _Refusal(400, "X-GitHub-Delivery is not a delivery id.")
    SUBJECT.set({"delivery": delivery})
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise _Refusal(415, "Set the webhook's content type to application/json.")
    try:
        body = await asyncio.wait_for(_read_body(request), BODY_SECONDS)
    except TimeoutError:
        raise _Refusal(408, "The body did not arrive in time.") from None
    if body is None:
        raise _Refusal(413, f"The body is larger than {MAX_BODY:,} bytes.")
    return body


async def _read_body(request: Request) -> bytes | None:
    """The raw body, or None when it is larger than any that GitHub sends."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > MAX_BODY:
        return None
    parts, size = [], 0
    stream: AsyncIterator[bytes] = request.stream()
    async for part in stream:
        size += len(part)
        if size > MAX_BODY:
            return None
        parts.append(part)
    return b"".join(parts)


def refused(code: int, reason: str) -> JSONResponse:
    """The answer to a request that is not served."""
    return JSONResponse({"status": "refused", "reason": reason}, code)
