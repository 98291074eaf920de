"""The App's endpoints: they verify, store and answer; the work is done by jobs."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, FastAPI, Header, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from bot import __version__
from bot.service.events import BadPayload, Ignored, read_event
from bot.service.inbox import Inbox
from bot.service.job import Job
from bot.service.logs import SUBJECT
from bot.service.metrics import Metrics
from bot.service.pages import missing
from bot.service.settings import Settings, require_secret
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
    "ping",
)
"""Those that are counted by name: a label must not be the sender's choice."""

_log = logging.getLogger("rlbot.web")


class Store(Protocol):
    """Where deliveries go."""

    def submit_all(self, jobs: Sequence[Job]) -> Sequence[str]:
        """Store jobs; says of each whether it was new. Raises when it can store none."""
        ...

    def ready(self) -> None:
        """Raise when nothing can be stored."""
        ...


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must work before the App is ready."""

    name: str
    run: Callable[[], None]
    """Raises with a sentence when it does not."""


Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def create_app(
    settings: Settings,
    store: Store,
    metrics: Metrics,
    *,
    checks: tuple[Check, ...] = (),
    pages: APIRouter | None = None,
    lifespan: Lifespan | None = None,
) -> FastAPI:
    """The application; raises UserError when no webhook secret is set."""
    require_secret(settings)
    inbox = Inbox(store.submit_all)
    # A pool of its own: a database that hangs must not take the threads of everything else.
    probes = ThreadPoolExecutor(max_workers=2, thread_name_prefix="probe")

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        inbox.start()
        try:
            async with lifespan(app) if lifespan else nullcontext():
                yield
                await asyncio.to_thread(inbox.close)
        finally:
            probes.shutdown(wait=False, cancel_futures=True)

    app = FastAPI(
        title="rlbot",
        version=__version__,
        description="Webhooks of the GitHub App, and the state of the service.",
        docs_url=None,
        redoc_url=None,
        lifespan=life,
    )

    @app.post(
        "/webhook",
        status_code=202,
        responses={
            code: {"description": text}
            for code, text in {
                400: "Not a delivery of GitHub",
                401: "Wrong or missing signature",
                408: "The body came too slowly",
                413: "The body is too large",
                415: "Not application/json",
                503: "Could not store; deliver again",
            }.items()
        },
    )
    async def webhook(
        request: Request,
        event: Annotated[str | None, Header(alias="X-GitHub-Event")] = None,
        delivery: Annotated[str | None, Header(alias="X-GitHub-Delivery")] = None,
        signed: Annotated[str | None, Header(alias="X-Hub-Signature-256")] = None,
    ) -> Response:
        """Take a delivery: verified, stored, answered; what it asks for is done by a job."""
        answer = await _webhook(request, event, delivery, signed)
        if delivery is not None and event is not None:
            label = event if event in EVENTS else "other"
            metrics.deliveries.labels(label, str(answer.status_code)).inc()
        return answer

    async def _webhook(
        request: Request, event: str | None, delivery: str | None, signed: str | None
    ) -> Response:
        if event is None or delivery is None:
            return _no(400, "The headers X-GitHub-Event and X-GitHub-Delivery are required.")
        if not DELIVERY_ID.fullmatch(delivery):
            return _no(400, "X-GitHub-Delivery is not a delivery id.")
        SUBJECT.set({"delivery": delivery})
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return _no(415, "Set the webhook's content type to application/json.")
        try:
            body = await asyncio.wait_for(_body(request), BODY_SECONDS)
        except TimeoutError:
            return _no(408, "The body did not arrive in time.")
        if body is None:
            return _no(413, f"The body is larger than {MAX_BODY:,} bytes.")
        if not is_signed(body, signed, settings.webhook_secrets):
            _log.warning("a delivery with a wrong signature was refused")
            return _no(401, "The signature X-Hub-Signature-256 is missing or wrong.")
        try:
            wanted = read_event(event, delivery, json.loads(body), app_id=settings.app_id)
        except (ValueError, RecursionError):
            return _no(400, "The body is not JSON, or nested too deeply.")
        except BadPayload as error:
            return _no(400, f"The payload is not one of the event {event[:40]}: {error}.")
        if isinstance(wanted, Ignored):
            return JSONResponse({"status": "ignored", "reason": wanted.reason}, 202)
        started = time.perf_counter()
        try:
            status = await asyncio.wait_for(inbox.put(wanted), STORE_SECONDS)
        except Exception as error:
            metrics.errors.labels("store").inc()
            _log.error("a delivery could not be stored", extra={"fault": type(error).__name__})
            return _no(503, "The delivery could not be stored; deliver it again.")
        metrics.store_seconds.observe(time.perf_counter() - started)
        _log.info("delivery %s", status, extra={"job": wanted.id})
        return JSONResponse({"status": status, "job": wanted.id}, 202)

    @app.get("/healthz", response_class=PlainTextResponse)
    async def healthz() -> str:
        """Whether the process answers at all."""
        return "ok\n"

    @app.get("/readyz", responses={503: {"description": "Something that the App needs is down"}})
    async def readyz() -> Response:
        """Whether the App can do its work: database, GitHub's credentials."""
        loop = asyncio.get_running_loop()
        states: dict[str, str] = {}
        for check in (Check("database", store.ready), *checks):
            try:
                await asyncio.wait_for(loop.run_in_executor(probes, check.run), 5)
                states[check.name] = "ok"
            except Exception as error:
                states[check.name] = (
                    str(error).splitlines()[0] if str(error) else "no answer in 5 s"
                )
        fine = all(state == "ok" for state in states.values())
        return JSONResponse({"ready": fine, "checks": states}, 200 if fine else 503)

    @app.get("/metrics", response_class=PlainTextResponse)
    async def figures() -> Response:
        """The figures, for Prometheus."""
        text = await asyncio.get_running_loop().run_in_executor(probes, metrics.text)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    if pages is not None:
        app.include_router(pages)

    app.add_middleware(_HeadAsGet)

    @app.exception_handler(HTTPException)
    async def no_route(request: Request, error: HTTPException) -> Response:
        reasons = {
            404: "There is nothing at this address.",
            405: "This address takes no such method.",
        }
        reason = reasons.get(error.status_code, str(error.detail))
        if error.status_code == 404 and "text/html" in request.headers.get("accept", ""):
            return missing(reason)
        answer = _no(error.status_code, reason)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    async def fault(_request: Request, error: Exception) -> Response:
        metrics.errors.labels("web").inc()
        return _no(500, f"A fault of rlbot itself ({type(error).__name__}); it is logged.")

    return app


class _HeadAsGet:
    """Routes HEAD like GET; the server leaves the body out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)


async def _body(request: Request) -> bytes | None:
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


def _no(code: int, sentence: str) -> JSONResponse:
    content: dict[str, Any] = {"status": "refused", "reason": sentence}
    return JSONResponse(content, code)
