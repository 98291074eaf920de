"""A stand-in for MLflow's server: the REST API's answers as `mlflow server` gives them.

`test_mlflow_server.py` holds it to a real server where one is installed (`make trackers`).
"""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from tests.listener import Listener

API: Final = "/api/2.0/mlflow/"
USER: Final = "ada"
PASSWORD: Final = "correct horse"  # noqa: S105


@dataclass(frozen=True)
class Answer:
    """What a server answers."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    announced: int | None = None
    """The length that the header says, where it is another."""


Hook: TypeAlias = Callable[[str, dict[str, str]], Answer | None]
"""Given a method ("runs/get") and its question: an answer instead; None for the right one."""


def as_json(value: object, status: int = 200) -> Answer:
    """An answer in JSON."""
    return Answer(
        json.dumps(value, indent=2).encode(), status, {"Content-Type": "application/json"}
    )


def missing(what: str) -> Answer:
    """The refusal of something that is not there."""
    code = "RESOURCE_DOES_NOT_EXIST"
    return as_json({"error_code": code, "message": f"{what} not found"}, 404)


class Mlflow:
    """A server on a free port of this machine."""

    def __init__(self, path: str = "") -> None:
        self.runs: dict[str, dict[str, Any]] = {}
        """The record of each run, as `runs/get` gives it."""
        self.history: dict[tuple[str, str], list[dict[str, Any]]] = {}
        """The values of a run's metric."""
        self.experiments: dict[str, str] = {}
        self.hook: Hook = lambda _method, _question: None
        self.locked = False
        """Whether a key is asked for."""
        self.path = path
        self.asked: list[tuple[str, str | None]] = []
        """Each method that was asked, with the key that came along."""
        handler = type("Handler", (_Handler,), {"mlflow": self})
        self._http = Listener(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}{path}"

    def link(self, run_id: str, experiment: str = "1") -> str:
        """The address of a run's page."""
        return f"{self.url}/#/experiments/{experiment}/runs/{run_id}"

    @contextmanager
    def serving(self) -> Iterator[Mlflow]:
        """Serve until the block ends."""
        with self._http.serving():
            yield self

    def load(self, database: Path) -> list[str]:
        """Take the runs of a database of MLflow's; their ids."""
        connection = sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True)
        with connection:
            ask = connection.execute
            for number, name in ask("SELECT experiment_id, name FROM experiments"):
                self.experiments[str(number)] = name
            found = ask("SELECT run_uuid, name, experiment_id FROM runs").fetchall()
            for run, name, experiment in found:
                for key, value, is_nan, step, when in ask(
                    "SELECT key, value, is_nan, step, timestamp FROM metrics WHERE run_uuid = ? "
                    "ORDER BY timestamp, step, value", (run,)
                ):  # fmt: skip
                    self.point(run, key, "NaN" if is_nan else value, step, when)
                tables = {
                    table: [
                        {"key": key, "value": value}
                        for key, value in ask(
                            f"SELECT key, value FROM {table} WHERE run_uuid = ?",  # noqa: S608
                            (run,),
                        )
                    ]
                    for table in ("params", "tags")
                }
                self.add(run, str(experiment), name, **tables)
        connection.close()
        return [run for run, *_ in found]

    def point(self, run: str, key: str, value: object, step: int, when: int) -> None:
        """Add a value of a metric."""
        values = self.history.setdefault((run, key), [])
        values.append({"key": key, "value": value, "timestamp": when, "step": step})

    def add(
        self, run: str, experiment: str = "1", name: str = "a name", **data: list[dict[str, str]]
    ) -> None:
        """Add a run that ended, once its values are there."""
        last = [
            max(values, key=lambda value: (value["step"], value["timestamp"]))
            for (of, _), values in self.history.items()
            if of == run
        ]
        info = {
            "run_uuid": run, "run_id": run, "experiment_id": experiment, "run_name": name,
            "user_id": "root", "status": "FINISHED", "start_time": 1, "lifecycle_stage": "active",
        }  # fmt: skip
        held = {"metrics": last, "params": [], "tags": [], **data}
        self.runs[run] = {"run": {"info": info, "data": held, "inputs": {}}}
        self.experiments.setdefault(experiment, "an experiment")

    def answer(self, method: str, question: dict[str, str], key: str | None) -> Answer:
        """The answer to a question."""
        self.asked.append((method, key))
        if (instead := self.hook(method, question)) is not None:
            return instead
        right = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if self.locked and key not in (f"Basic {right}", "Bearer a-token"):
            return Answer(b"You are not authenticated.", 401, {"WWW-Authenticate": "Basic"})
        if method == "runs/get":
            record = self.runs.get(question["run_id"])
            return as_json(record) if record else missing("Run")
        if method == "experiments/get":
            number = question["experiment_id"]
            if number not in self.experiments:
                return missing("Experiment")
            about = {"experiment_id": number, "name": self.experiments[number]}
            return as_json({"experiment": about})
        if method == "metrics/get-history":
            return self._history(question)
        return missing("endpoint")

    def _history(self, question: dict[str, str]) -> Answer:
        values = self.history.get((question["run_id"], question["metric_key"]), [])
        most = min(int(question.get("max_results", len(values))), 25_000)
        begin = int(question.get("page_token", 0))
        page = values[begin : begin + most]
        found: dict[str, Any] = {"metrics": page} if page else {}
        if begin + most < len(values):
            found["next_page_token"] = str(begin + most)
        return as_json(found)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    mlflow: Mlflow

    def do_GET(self) -> None:
        """Answer."""
        parts = urlsplit(self.path)
        api = f"{self.mlflow.path}{API}"
        found = missing("page")
        if parts.path.startswith(api):
            question = dict(parse_qsl(parts.query))
            key = self.headers.get("Authorization")
            found = self.mlflow.answer(parts.path.removeprefix(api), question, key)
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
