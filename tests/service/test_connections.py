"""What an unsigned stranger can hold of the App: connections, headers, bodies."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import FastAPI

from bot.service import webhook
from bot.service.app import create_app
from bot.service.connections import MAX_HEADERS, ConnectionLimits
from bot.service.metrics import Metrics
from bot.service.webhook import MAX_BODY, SMALL, BodyBudget
from tests.service.payloads import pull_request
from tests.service.server import deliver, served
from tests.service.test_webhook import SETTINGS, MemoryStore

NEVER = 60.0
"""Seconds after which something is taken not to happen."""
SIGNED = "sha256=" + "0" * 64
POST = (
    "POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    "X-GitHub-Event: ping\r\nX-GitHub-Delivery: d\r\n"
)


@contextlib.contextmanager
def app(**limits: float) -> Iterator[httpx.Client]:
    bounds = ConnectionLimits(**{"header_seconds": NEVER, "request_seconds": NEVER, **limits})  # type: ignore[arg-type]
    with served(create_app(SETTINGS, MemoryStore(), Metrics()), bounds) as client:
        yield client


def connect(client: httpx.Client) -> socket.socket:
    parts = urlsplit(str(client.base_url))
    assert parts.hostname
    return socket.create_connection((parts.hostname, parts.port or 0), timeout=NEVER)


def answer(connection: socket.socket) -> str:
    """The head of what comes back; empty when the connection was closed without a word."""
    try:
        return connection.recv(65_536).decode()
    except ConnectionError:
        return ""


def dripped_until_closed(connection: socket.socket, text: str) -> bool:
    """Send it again and again, slowly, until the other side closes; False when it never does."""
    end = time.monotonic() + NEVER
    connection.settimeout(0.05)
    while time.monotonic() < end:
        try:
            connection.sendall(text.encode())
            if connection.recv(65_536) == b"":
                return True
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


@pytest.mark.parametrize("first", ["", "GET / HTTP/1.1\r\nHost: x\r\n", "POST /webhook HT"])
def test_t17_headers_that_do_not_end_are_not_waited_for(first: str) -> None:
    with app(header_seconds=0.5) as client, connect(client) as connection:
        connection.sendall(first.encode())
        assert answer(connection) == ""


def test_t17_each_byte_does_not_earn_more_time() -> None:
    with app(header_seconds=0.5) as client, connect(client) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        assert dripped_until_closed(connection, "A: b\r\n")


def test_t17_nor_does_a_request_that_was_answered_before() -> None:
    with app(header_seconds=0.5) as client, connect(client) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answer(connection).startswith("HTTP/1.1 200")
        assert dripped_until_closed(connection, "G")


def test_t17_a_body_that_nobody_reads_is_not_received_for_ever() -> None:
    with app(header_seconds=0.5) as client, connect(client) as connection:
        connection.sendall(b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n")
        assert dripped_until_closed(connection, "x")


def test_t17_a_request_has_an_end() -> None:
    with app(request_seconds=0.5) as client, connect(client) as connection:
        connection.sendall(f"{POST}X-Hub-Signature-256: {SIGNED}\r\n".encode())
        connection.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
        assert dripped_until_closed(connection, "1\r\nx\r\n")


def test_t17_headers_have_a_size() -> None:
    with app() as client, connect(client) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"x" * (MAX_HEADERS + 1))
        assert answer(connection).startswith("HTTP/1.1 400")


def test_t17_idle_connections_give_way() -> None:
    """GitHub is heard however many connections a stranger opens and leaves."""
    with app(most=8) as client, contextlib.ExitStack() as opened:
        strangers = [opened.enter_context(connect(client)) for _ in range(40)]
        for _ in range(5):
            assert deliver(client, "ping", {"zen": "x"}).status_code == 202
        closed = 0
        for connection in strangers:
            connection.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                closed += answer(connection) == ""
        assert closed >= 40 - 8


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("", "401"),
        ("X-Hub-Signature-256: sha256=abc\r\n", "401"),
        ("X-Hub-Signature-256: sha1=" + "0" * 64 + "\r\n", "401"),
    ],
)
def test_t5_without_the_form_of_a_signature_no_body_is_read(header: str, status: str) -> None:
    with app() as client, connect(client) as connection:
        connection.sendall(f"{POST}{header}Content-Length: {MAX_BODY}\r\n\r\n".encode())
        assert answer(connection).startswith(f"HTTP/1.1 {status}")


def test_t17_a_length_that_is_too_large_is_refused_before_the_body() -> None:
    with app() as client, connect(client) as connection:
        head = f"{POST}X-Hub-Signature-256: {SIGNED}\r\nContent-Length: {MAX_BODY + 1}\r\n\r\n"
        connection.sendall(head.encode())
        assert answer(connection).startswith("HTTP/1.1 413")


@pytest.mark.parametrize("chunked", [False, True])
def test_t17_large_bodies_share_a_budget_and_small_ones_always_pass(
    monkeypatch: pytest.MonkeyPatch, chunked: bool
) -> None:
    size = 4 * SMALL
    monkeypatch.setattr(webhook, "MOST_HELD", 2 * size)
    monkeypatch.setattr(webhook, "BODY_SECONDS", NEVER)
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"
    head = f"{POST}X-Hub-Signature-256: {SIGNED}\r\n{length}\r\n\r\n".encode()
    body = b"x" * (size - 1)
    if chunked:
        body = f"{len(body):x}\r\n".encode() + body
    with app() as client, contextlib.ExitStack() as opened:
        held = [opened.enter_context(connect(client)) for _ in range(3)]
        for connection in held:
            connection.sendall(head + body)
        answered, _, _ = select.select(held, [], [], NEVER)
        assert [answer(one)[9:12] for one in answered] == ["503"]
        small = json.dumps(pull_request()).encode()
        assert deliver(client, "pull_request", small).status_code == 202
        held.remove(answered[0])
        assert select.select(held, [], [], 0)[0] == [], "those that fit are still held"
        for connection in held:
            connection.close()
        large = json.dumps(pull_request(body="x" * size)).encode()
        _eventually_taken(lambda: deliver(client, "pull_request", large).status_code)


def _eventually_taken(status: Callable[[], int]) -> None:
    """What the closed connections held is given back."""
    end = time.monotonic() + NEVER
    while status() == 503:
        assert time.monotonic() < end
    assert status() == 202


def test_a_budget_is_given_back_whole() -> None:
    budget = BodyBudget(100)
    for _ in range(3):
        with budget.holding() as take, budget.holding() as other:
            assert take(SMALL)
            assert take(60)
            assert other(SMALL + 40)
            assert not other(1)
            assert not take(1)
    with budget.holding() as take:
        assert take(SMALL + 100)


def test_the_app_is_served_with_these_bounds() -> None:
    from bot.service.connections import server_config

    config = server_config(FastAPI())
    assert config.h11_max_incomplete_event_size == MAX_HEADERS
    assert config.limit_concurrency
    assert config.timeout_keep_alive == 5
    assert config.ws == "none"
