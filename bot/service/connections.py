"""The web server's bounds on connections: how many, and how long each part of a request may take.

uvicorn bounds the size of headers and closes connections that say nothing; a connection that says
a little now and then it keeps for ever, and any number of them.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Literal

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from bot.base.fast_dataclass import dataclass

if TYPE_CHECKING:
    from starlette.types import ASGIApp

MAX_HEADERS = 64 * 1024
"""Bytes of a request's line and headers."""
_log = logging.getLogger("rlbot.web")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """How many connections may be open, and how long they may take."""

    most: int = 512
    """Open at once; a further one takes the place of the one that has been idle for longest."""
    header_seconds: float = 10.0
    """From the opening, or the end of an answer, until the headers of a request are there."""
    request_seconds: float = 60.0
    """From then until the answer is sent."""


def server_config(
    app: ASGIApp, limits: ConnectionLimits | None = None, **more: Any
) -> uvicorn.Config:
    """How uvicorn serves the App; `more` are further settings of uvicorn."""
    limits = limits or ConnectionLimits()
    return uvicorn.Config(
        app,
        http=_protocol(limits),
        ws="none",
        log_config=None,
        server_header=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=10,
        # Beside the bound on connections one on requests, which uvicorn answers with 503.
        limit_concurrency=2 * limits.most,
        h11_max_incomplete_event_size=MAX_HEADERS,
        **more,
    )


def _protocol(limits: ConnectionLimits) -> type[H11Protocol]:
    idle: dict[_BoundedProtocol, None] = {}
    """Connections that no request occupies, in the order in which they became so."""

    class Protocol(_BoundedProtocol):
        _limits = limits
        _idle = idle

    return Protocol


class _BoundedProtocol(H11Protocol):
    """A connection with a deadline for each of its phases."""

    _limits: ConnectionLimits
    _idle: dict[_BoundedProtocol, None]
    _deadline: asyncio.TimerHandle | None = None
    _phase: object = None
    """The request that occupies it, or "idle"."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._follow()
        if len(self.connections) > self._limits.most and self._idle:
            _log.warning("too many connections: the one that was idle for longest is closed")
            next(iter(self._idle))._close()  # noqa: SLF001

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._follow()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _follow(self) -> None:
        """Set the deadline of a phase when it begins; what arrives within it moves nothing."""
        occupied = self.cycle is not None and not self.cycle.response_complete
        phase: object | Literal["idle"] = self.cycle if occupied else "idle"
        if phase is self._phase or self.transport.is_closing():
            return
        self._stop()
        self._phase = phase
        if not occupied:
            self._idle[self] = None
        seconds = self._limits.request_seconds if occupied else self._limits.header_seconds
        self._deadline = self.loop.call_later(seconds, self._close)

    def _stop(self) -> None:
        self._idle.pop(self, None)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        self._stop()
        self.transport.abort()
