"""A stand-in for the Hugging Face Hub: the files of a bucket, which lie in a store behind it.

The addresses are those of huggingface_hub 2.4 (`get_bucket_file_metadata`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Final, TypeAlias

from tests.listener import Listener
from tests.trackers.mlflow_server import Answer

TOKEN: Final = "hf_a-token-of-the-hub"  # noqa: S105
BUCKET: Final = "/buckets/ada/tuning-bucket/resolve/trackio%2Frlbot-tuning.db"

HubHook: TypeAlias = Callable[[str], Answer | None]
"""Given a path: an answer instead; None for the right one."""


class Hub:
    """A server on a free port of this machine."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        """Path to what lies there."""
        self.locked = False
        """Whether a key is asked for."""
        self.hook: HubHook = lambda _path: None
        self.asked: list[tuple[str, str | None]] = []
        """Each path that was asked, with the key that came along."""
        handler = type("Handler", (_Handler,), {"hub": self})
        self._http = Listener(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def load(self, folder: Path) -> None:
        """Take a folder of trackio's, as a Space keeps it."""
        [database] = folder.glob("*.db")
        self.files[BUCKET] = database.read_bytes()
        latest = database.with_name(f"{database.name}-wal")
        if latest.exists():
            self.files[f"{BUCKET}-wal"] = latest.read_bytes()

    def link(self, run: str, project: str = "rlbot-tuning") -> str:
        """The address that trackio's page gives for sharing."""
        return f"{self.url}/spaces/ada/tuning?project={project}&run_ids={run}&smoothing=3"

    @contextmanager
    def serving(self) -> Iterator[Hub]:
        """Serve until the block ends."""
        with self._http.serving():
            yield self

    def answer(self, path: str, key: str | None) -> Answer:
        """The answer to a request."""
        self.asked.append((path, key))
        if (instead := self.hook(path)) is not None:
            return instead
        if path.startswith("/store/"):
            return Answer(self.files[path.removeprefix("/store")])
        if self.locked and key != f"Bearer {TOKEN}":
            return Answer(b"Repository not found", 401)
        if path not in self.files:
            return Answer(b"Entry not found", 404)
        return Answer(b"", 302, {"Location": f"{self.url}/store{path}"})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def do_GET(self) -> None:
        """Answer."""
        found = self.hub.answer(self.path, self.headers.get("Authorization"))
        self.send_response(found.status)
        for name, value in found.headers.items():
            self.send_header(name, value)
        length = len(found.body) if found.announced is None else found.announced
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(found.body)
        if found.announced is not None:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Nothing."""
