"""The App behind a real HTTP server on a free port of the loopback."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from bot.base.secrets import Secret
from bot.service.connections import ConnectionLimits, server_config
from bot.service.webhook import signature

SECRET = Secret("correct horse battery staple")
# Of no use over plain HTTP; else each client would load a thousand certificates first.
_NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def client_to(port: int, *, timeout: float = 300) -> httpx.Client:
    """A client of what listens on a port of the loopback."""
    address = f"http://127.0.0.1:{port}"
    return httpx.Client(base_url=address, timeout=timeout, verify=_NO_AUTHORITIES)


def fetched(port: int, path: str) -> httpx.Response:
    """The answer to one GET, when nothing else is asked."""
    with client_to(port) as client:
        return client.get(path)


@contextmanager
def served(app: FastAPI, limits: ConnectionLimits | None = None) -> Iterator[httpx.Client]:
    """A client of the served application."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = uvicorn.Server(server_config(app, limits, lifespan="on"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        with client_to(port) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(timeout=300)
        listener.close()


def deliver(
    client: httpx.Client,
    event: str,
    payload: Any,
    *,
    secret: Secret = SECRET,
    headers: Mapping[str, str | None] | None = None,
) -> httpx.Response:
    """Send a payload as GitHub does; a header of None is left out, bytes are sent as they are."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    sent: dict[str, str | None] = {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": "0b989ba4-242f-11e5-81e1-c7b6966d2516",
        "X-Hub-Signature-256": signature(body, secret),
        **(headers or {}),
    }
    return client.post(
        "/webhook",
        content=body,
        headers={name: value for name, value in sent.items() if value is not None},
    )
