"""The stand-in itself: HTTP on a loopback port of its own, in threads of this process."""

from __future__ import annotations

import base64
import json
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.listener import Listener
from tests.wandb_server.faults import Fault
from tests.wandb_server.operations import answer
from tests.wandb_server.store import Store

KEY = "0123456789abcdef0123456789abcdef01234567"
"""The key that the server knows."""
_OPERATION = re.compile(r"\b(?:query|mutation)\s+(\w+)")


class Wandb:
    """A server, its store, and what it was asked."""

    def __init__(
        self, tls: ssl.SSLContext | None = None, *, host: str = "127.0.0.1", port: int = 0
    ) -> None:
        self.store = Store()
        self.faults: list[Fault] = []
        self.requests: list[str] = []
        """Operations and paths, in order."""
        self.keys: list[str | None] = []
        """The key of each request."""
        self.unknown_fields: set[str] = set()
        self.anonymous = True
        """Whether requests without a key are answered at all."""
        self.uncounted = False
        """Whether `historyKeys` names keys without saying in how many rows they are."""
        self.max_samples = 1 << 62
        self.delays: dict[str, float] = {}
        """Operation to the seconds before its answer."""
        self.claimed_sizes: dict[str, int] = {}
        self.bytes_sent = 0
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._http = _Server((host, port), _Handler)
        self._http.wandb = self
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
        self.url = f"http{'s' if tls else ''}://{host}:{self._http.server_port}"
        self.files_url = self.url
        """Where the addresses lead that it gives for files and exports."""
        self.endless: set[str] = set()
        """Listings that say after each page that there is another one."""

    def link(self, run: str, project: str = "verl_tuning", entity: str = "verl-team") -> str:
        """The address of a run's page."""
        return f"{self.url}/{entity}/{project}/runs/{run}"

    def note(self, what: str, key: str | None) -> None:
        """Keep what was asked."""
        with self._lock:
            self.requests.append(what)
            self.keys.append(key)

    def sent(self, count: int) -> None:
        """Count bytes of bodies."""
        with self._lock:
            self.bytes_sent += count

    @contextmanager
    def serving(self) -> Iterator[Wandb]:
        """Serve until the block ends."""
        with self._http.serving():
            try:
                yield self
            finally:
                self.stopping.set()


class _Server(Listener):
    block_on_close = False
    request_queue_size = 64
    wandb: Wandb

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Print nothing."""

    def do_POST(self) -> None:
        self._serve()

    def do_GET(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def _serve(self) -> None:
        wandb = self.server.wandb
        path = unquote(urlsplit(self.path).path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        key = self._key()
        operation, document = "", ""
        variables: dict[str, Any] = {}
        if path == "/graphql":
            asked = json.loads(body)
            document = asked["query"]
            named = _OPERATION.search(document)
            operation = named[1] if named else ""
            variables = asked.get("variables") or {}
        wandb.note(operation or f"{self.command} {path}", key)
        wandb.stopping.wait(wandb.delays.get(operation, 0))
        for fault in wandb.faults:
            if not fault.strikes(operation, path):
                continue
            if fault.change is not None:
                fault.change()
                continue
            self._fail(fault)
            return
        if path == "/graphql":
            self._graphql(operation, variables, document, key)
        elif path.startswith("/files/"):
            self._stream(path, body)
        elif path.startswith("/storage/"):
            self._storage(path, body)
        elif path.startswith("/exports/"):
            self._export(path)
        else:
            self._send(404, b'{"errors": [{"message": "no such path"}]}')

    def _key(self) -> str | None:
        given = self.headers.get("Authorization", "")
        if not given.startswith("Basic "):
            return None
        return base64.b64decode(given[6:]).decode().partition(":")[2]

    def _graphql(self, operation: str, variables: Any, document: str, key: str | None) -> None:
        wandb = self.server.wandb
        if key not in (None, KEY) or (key is None and not wandb.anonymous):
            self._send(401, b'{"errors": [{"message": "user is not logged in"}]}')
            return
        for name in wandb.unknown_fields:
            if re.search(rf"\b{name}\b", document):
                text = f'Cannot query field "{name}" on this type.'
                self._send(400, json.dumps({"errors": [{"message": text}]}).encode())
                return
        try:
            data = answer(wandb, operation, variables, key)
        except KeyError as error:
            text = f"unknown operation {operation} ({error}): {document[:200]}"
            self._send(400, json.dumps({"errors": [{"message": text}]}).encode())
            return
        self._send(200, json.dumps({"data": data}).encode())

    def _stream(self, path: str, body: bytes) -> None:
        _, _, entity, project, name, _ = path.split("/")
        store = self.server.wandb.store
        run = store.runs[entity, project, name]
        store.stream(run, json.loads(body))
        self._send(200, b'{"exitcode": null, "limits": {}}')

    def _storage(self, path: str, body: bytes) -> None:
        _, _, entity, project, name, file = path.split("/", 5)
        run = self.server.wandb.store.runs[entity, project, name]
        if self.command == "PUT":
            run.files[file] = body
            self._send(200, b"")
        elif file in run.files:
            self._send(200, run.files[file], kind="application/octet-stream")
        else:
            self._send(404, b"no such file")

    def _export(self, path: str) -> None:
        _, _, entity, project, name, file = path.split("/")
        data = self.server.wandb.store.runs[entity, project, name].exports[int(file.split(".")[0])]
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        if wanted is None:
            self._send(200, data, kind="application/octet-stream")
            return
        start, end = int(wanted[1]), min(int(wanted[2]), len(data) - 1)
        place = {"Content-Range": f"bytes {start}-{end}/{len(data)}"}
        self._send(206, data[start : end + 1], headers=place)

    def _send(
        self,
        status: int,
        body: bytes,
        *,
        kind: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            with suppress(OSError):
                self.wfile.write(body)
                self.server.wandb.sent(len(body))

    def _fail(self, fault: Fault) -> None:
        self.close_connection = True
        if fault.kind == "status":
            self._send(fault.status, fault.body, headers=dict(fault.headers))
        elif fault.kind == "hang":
            self.server.wandb.stopping.wait(60)
        elif fault.kind == "redirect":
            self._send(fault.status, b"", headers=dict(fault.headers))
        elif fault.kind == "garbage":
            self._send(200, fault.body or b"<html>\xff\xfe not JSON</html>", kind="text/html")
        elif fault.kind == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(b'{"data": {')
        elif fault.kind in ("drip", "huge", "stream"):
            self._endless(fault)

    def _endless(self, fault: Fault) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        size, pause = {"drip": (1, 0.2), "stream": (1 << 16, 0.05), "huge": (1 << 20, 0)}[
            fault.kind
        ]
        with suppress(OSError):
            self.wfile.write(b'{"data": "')
            while not self.server.wandb.stopping.wait(pause):
                self.wfile.write(b"x" * size)
