"""A stand-in for SwanLab's server: the answers that swanlab 0.10.3 itself asks for.

`test_swanlab_server.py` holds it to the real SDK where that is installed (`make trackers`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final, TypeAlias
from unittest import mock

from bot.evidence import read
from bot.evidence.trackers import swanlab
from tests.listener import Listener
from tests.trackers.mlflow_server import Answer, as_json

KEY: Final = "a-key-of-swanlab"
SESSION: Final = "a-session"
CREATED: Final = "2026-09-30T08:00:00.000Z"

SwanlabHook: TypeAlias = Callable[[str, Any], Answer | None]
"""Given a path below the API and what was posted: an answer instead; None for the right one."""


class Swanlab:
    """A server on a free port of this machine, pages and API at one address, as of one's own."""

    def __init__(self) -> None:
        self.run: dict[str, Any] = {
            "cuid": "run-cuid", "slug": "k3v9x2ma", "name": "a name", "state": "FINISHED",
            "createdAt": CREATED, "profile": {"config": {}, "metadata": {}, "requirements": ""},
        }  # fmt: skip
        self.project: dict[str, Any] = {
            "cuid": "project-cuid", "name": "tuning", "path": "ada/tuning", "visibility": "PUBLIC",
        }  # fmt: skip
        self.values: dict[str, list[tuple[int, object, int]]] = {}
        """Step, value and milliseconds since 1970, of each metric."""
        self.hook: SwanlabHook = lambda _path, _posted: None
        self.page = 2_000
        """Names in a page."""
        self.asked: list[tuple[str, str | None, str | None]] = []
        """Each path that was asked, with the key and the cookie that came along."""
        self._tables: dict[str, list[str]] = {}
        handler = type("Handler", (_Handler,), {"swanlab": self})
        self._http = Listener(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    @property
    def link(self) -> str:
        """The address of the run's page."""
        return f"{self.url}/@ada/tuning/runs/k3v9x2ma"

    @contextmanager
    def serving(self) -> Iterator[Swanlab]:
        """Serve until the block ends."""
        with self._http.serving():
            yield self

    def load(self, folder: Path) -> None:
        """Take a run folder of SwanLab's, as the SDK would have sent it."""
        import yaml

        kept = swanlab.SwanlabRun.scalar

        def scalar(run: Any, key: str, value: float, step: int | None, at: float | None) -> None:
            points = self.values.setdefault(key, [])
            points.append((step or 0, value, round((at or 0) * 1000)))
            kept(run, key, value, step, at)

        with mock.patch.object(swanlab.SwanlabRun, "scalar", scalar):
            facts = read(folder)
        [files] = folder.glob("**/files")
        self.run["name"] = facts.run.name
        self.run["state"] = (facts.state or "running").upper()
        self.run["profile"] = {
            "config": yaml.safe_load((files / "config.yaml").read_text("utf-8")),
            "metadata": json.loads((files / "swanlab-metadata.json").read_text("utf-8")),
            "requirements": (files / "requirements.txt").read_text("utf-8"),
        }

    def answer(self, path: str, posted: Any, key: str | None, cookie: str | None) -> Answer:
        """The answer to a request."""
        self.asked.append((path, key, cookie))
        if (instead := self.hook(path, posted)) is not None:
            return instead
        if path.startswith("store/"):
            return Answer(self._table(self._tables[path]), 200, {"Content-Type": "text/csv"})
        if path == "api/login/api_key":
            if key != KEY:
                return as_json({"code": "Unauthorized", "message": "wrong key"}, 401)
            return as_json({"sid": SESSION, "expiredAt": "2099-01-01T00:00:00.000Z",
                            "userInfo": {"username": "bob", "name": "Bob"}})  # fmt: skip
        if cookie != f"sid={SESSION}":
            return as_json({"code": "Unauthorized", "message": "no session"}, 401)
        if path == "api/project/ada/tuning":
            return as_json(self.project)
        if path in ("api/project/ada/tuning/runs/k3v9x2ma", "api/project/ada/tuning/runs/run-cuid"):
            return as_json(self.run)
        return self._house(path.removeprefix("api/"), posted)

    def _house(self, path: str, posted: Any) -> Answer:
        match path:
            case "house/metrics/scalar/keys":
                begin = int(posted["cursor"] or 0)
                most = min(posted["limit"], self.page)
                names = sorted(self.values)[begin : begin + most]
                more = begin + most < len(self.values)
                return as_json(
                    {"keys": names, "hasMore": more, "nextCursor": str(begin + most) * more}
                )
            case "house/metrics/scalar/export":
                keys = [column["key"] for column in posted["columns"]]
                if len(keys) > 16 or any(not column["createdAt"] for column in posted["columns"]):
                    return as_json({"code": "BadRequest"}, 400)
                place = f"store/{len(self._tables)}.csv"
                self._tables[place] = keys
                return as_json({"cosKey": place})
            case "files/presigned/get":
                return as_json({"urls": [f"{self.url}/{place}" for place in posted["paths"]]})
            case "house/metrics/scalar/value":
                return as_json([])
        return as_json({"code": "NotFound"}, 404)

    def _table(self, keys: list[str]) -> bytes:
        name = self.run["name"]
        lines = [
            ",".join(["step", *(f'"{name}-{k}_{p}"' for k in keys for p in ("step", "timestamp"))])
        ]
        rows: dict[int, dict[str, tuple[object, int]]] = {}
        for key in keys:
            for step, value, when in self.values[key]:
                rows.setdefault(step, {})[key] = (value, when)
        for step in sorted(rows):
            cells = [cell for key in keys for cell in rows[step].get(key, ("", ""))]
            lines.append(",".join(map(str, [step, *cells])))
        return "\n".join(lines).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    swanlab: Swanlab

    def do_GET(self) -> None:
        """Answer."""
        self._answer(None)

    def do_POST(self) -> None:
        """Answer."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer(json.loads(body) if body else None)

    def _answer(self, posted: Any) -> None:
        path = self.path.partition("?")[0].lstrip("/")
        found = self.swanlab.answer(
            path, posted, self.headers.get("Authorization"), self.headers.get("Cookie")
        )
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
