"""The App's web application: webhooks, its state, its figures."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from typing import Protocol

from fastapi import FastAPI, Request, Response
from fastapi.exception_handlers import request_validation_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from bot import __version__
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.service.database import OUTAGES, database_reason
from bot.service.inbox import Inbox
from bot.service.job import Job
from bot.service.metrics import Metrics
from bot.service.pages import missing
from bot.service.settings import ServiceSettings, identity_of, require_secret
from bot.service.webhook import RESPONSES, Webhooks, refused

_log = logging.getLogger("rlbot.web")
READY_SECONDS = 5
"""How long one thing that the App needs may take to answer."""


class JobStore(Protocol):
    """Where deliveries go."""

    def submit_all(self, jobs: Sequence[Job]) -> Sequence[str]:
        """Store jobs; says of each whether it was new. Raises when it can store none."""
        ...

    def ready(self) -> None:
        """Raise when nothing can be stored."""
        ...


@dataclass(frozen=True, slots=True)
class ReadinessCheck:
    """One thing that must work before the App is ready."""

    name: str
    run: Callable[[], None]
    """Raises with a sentence when it does not."""


def create_app(
    settings: ServiceSettings,
    store: JobStore,
    metrics: Metrics,
    *,
    checks: tuple[ReadinessCheck, ...] = (),
) -> FastAPI:
    """The application; raises UserError when no webhook secret is set."""
    require_secret(settings)
    inbox = Inbox(store.submit_all)
    # A pool of its own: a database that hangs must not take the threads of everything else.
    probes = ThreadPoolExecutor(max_workers=2, thread_name_prefix="probe")

    @asynccontextmanager
    async def life(_app: FastAPI) -> AsyncIterator[None]:
        inbox.start()
        try:
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
    webhooks = Webhooks(settings, inbox, metrics)
    app.post("/webhook", status_code=202, responses=RESPONSES)(webhooks.webhook)
    _add_state(app, (ReadinessCheck("database", store.ready), *checks), metrics, probes)
    return app


def create_worker_app(
    store: JobStore, metrics: Metrics, *, checks: tuple[ReadinessCheck, ...]
) -> FastAPI:
    """The application of a worker in a process of its own: its state and its figures."""
    app = FastAPI(title="rlbot worker", version=__version__, docs_url=None, redoc_url=None)
    probes = ThreadPoolExecutor(max_workers=2, thread_name_prefix="probe")
    _add_state(app, (ReadinessCheck("database", store.ready), *checks), metrics, probes)
    return app


def _add_state(
    app: FastAPI, checks: Sequence[ReadinessCheck], metrics: Metrics, probes: ThreadPoolExecutor
) -> None:
    @app.get("/healthz", response_class=PlainTextResponse)
    async def healthz() -> str:
        """Whether the process answers at all."""
        return "ok\n"

    @app.get("/readyz", responses={503: {"description": "Something that the App needs is down"}})
    async def readyz() -> Response:
        """Whether the App can do its work: database, GitHub's credentials."""
        loop = asyncio.get_running_loop()
        states: dict[str, str] = {}
        for check in checks:
            try:
                await asyncio.wait_for(loop.run_in_executor(probes, check.run), READY_SECONDS)
                states[check.name] = "ok"
            except Exception as error:
                lines = str(error).splitlines() or [f"no answer in {READY_SECONDS} s"]
                states[check.name] = lines[0]
        fine = all(state == "ok" for state in states.values())
        return JSONResponse({"ready": fine, "checks": states}, 200 if fine else 503)

    @app.get("/metrics", response_class=PlainTextResponse)
    async def figures() -> Response:
        """The figures, for Prometheus."""
        text = await asyncio.get_running_loop().run_in_executor(probes, metrics.text)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    app.add_middleware(_HeadAsGet)
    _add_errors(app, metrics)


def _add_errors(app: FastAPI, metrics: Metrics) -> None:
    @app.exception_handler(HTTPException)
    async def no_route(request: Request, error: HTTPException) -> Response:
        reasons = {
            404: "There is nothing at this address.",
            405: "This address takes no such method.",
        }
        reason = reasons.get(error.status_code, str(error.detail))
        if error.status_code == 404 and "text/html" in request.headers.get("accept", ""):
            return missing(reason)
        answer = refused(error.status_code, reason)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(RequestValidationError)
    async def not_understood(request: Request, error: RequestValidationError) -> Response:
        # A person gets a page; programs get what the description of the API says.
        if "text/html" in request.headers.get("accept", ""):
            return missing("There is nothing at this address.")
        return await request_validation_exception_handler(request, error)

    async def outage(request: Request, error: Exception) -> Response:
        metrics.errors.labels("database").inc()
        _log.warning("a page could not be read: %s", database_reason(error))
        reason = "The database does not answer at the moment; try again in a minute."
        if "text/html" in request.headers.get("accept", ""):
            return missing(reason, 503, "Not available")
        return refused(503, reason)

    for kind in OUTAGES:
        app.add_exception_handler(kind, outage)

    @app.exception_handler(Exception)
    async def fault(_request: Request, error: Exception) -> Response:
        metrics.errors.labels("web").inc()
        return refused(500, f"A fault of rlbot itself ({type(error).__name__}); it is logged.")


class _HeadAsGet:
    """Routes HEAD like GET; the server leaves the body out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)


KEPT = 60.0
"""Seconds for which GitHub's answer is believed: a probe every second must not cost requests."""
KEPT_BAD = 5.0
"""Seconds for which it is believed that the App cannot sign in: GitHub may be back at once."""


def checks(settings: ServiceSettings) -> Iterator[ReadinessCheck]:
    """The checks that the settings ask for."""
    if settings.app_id is not None or settings.private_key is not None:
        yield ReadinessCheck("github", GitHubCheck(settings))


class GitHubCheck:
    """Whether the App can sign in at GitHub."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._began = self._until = 0.0
        self._error: Exception | None = None
        # One look at a time: those of a GitHub that hangs would take all threads of the probes, and
        # the database would seem down too.
        self._looking = threading.Lock()

    def __call__(self) -> None:
        """Raise GitHubError or UserError when it cannot, or when GitHub has yet to answer."""
        if not self._looking.acquire(blocking=False):
            if self._error is None and time.monotonic() - self._began < READY_SECONDS:
                return
            raise self._error or UserError("GitHub has yet to answer; see githubstatus.com.")
        try:
            self._began = time.monotonic()
            if self._began > self._until:
                self._error = self._look()
                kept = KEPT if self._error is None else KEPT_BAD
                self._until = time.monotonic() + kept
        finally:
            self._looking.release()
        if self._error is not None:
            raise self._error

    def _look(self) -> Exception | None:
        try:
            with closing(identity_of(self._settings, os.environ).client()) as client:
                client.get("/app")
        except Exception as error:
            return error
        return None
