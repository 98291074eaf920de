"""A run on SwanLab's server, over the REST API that swanlab 0.10.3 itself asks (`swanlab.api`).

A key is exchanged for a session (`login/api_key`). `project/…` says who may see the run,
`project/…/runs/…` its settings and host, `house/metrics/scalar/keys` the metrics' names, and
`house/metrics/scalar/export` every value of up to 16 metrics, as a table in CSV that lies in an
object store, fetched without the session. What charts are drawn from is a sample of 1,500 points,
and is not read. The facts are made as those of SwanLab's local files.
"""

from __future__ import annotations

import csv
import io
import ipaddress
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlsplit

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.secrets import Secret
from bot.evidence.console import Console
from bot.evidence.facts import Facts, RunId
from bot.evidence.json_values import mapping, number, text
from bot.evidence.limits import RunLimits
from bot.evidence.metrics import COMPARED
from bot.evidence.online.bounds import Bounds, Tell
from bot.evidence.online.failure import ReadFailure, ReadingError, ReadStage
from bot.evidence.online.json_server import JsonServer, ServerRun, as_far_as_bounds_allow
from bot.evidence.online.own_server import is_loopback
from bot.evidence.online.requests import RefusedRequest
from bot.evidence.run_config import plain
from bot.evidence.side_files import requirements_of
from bot.evidence.trackers.collect import MetricCollector, seconds_since_1970
from bot.evidence.trackers.swanlab import SwanlabRun

T = TypeVar("T")

_KEYS: Final = 2_000
"""Names in a page, as the SDK asks for them."""
_BATCH: Final = 16
"""Metrics in one table: the most that the server takes."""
_CELL: Final = 64
"""Characters of a cell; a longer one is no number."""
_STATES: Final = {
    "RUNNING": "running",
    "FINISHED": "finished",
    "CRASHED": "crashed",
    "ABORTED": "killed",
}


def read_swanlab_cloud(asked: ServerRun, bounds: Bounds, tell: Tell) -> Facts:
    """Read the run within `bounds`; raises ReadingError where it cannot be read."""
    server = _Cloud(asked.server, bounds, tell)
    server.sign_in(asked.key)
    project = f"project/{quote(asked.entity)}/{quote(asked.project)}"
    held = server.ask(project)
    private = held.get("visibility") != "PUBLIC"
    if private and not asked.allow_private:
        raise ReadingError(ReadFailure(kind="private"))
    found = server.ask(f"{project}/runs/{quote(asked.run_id)}")
    columns = _Columns.of(held, found, asked.run_id)
    limits = RunLimits(rows=bounds.rows, seconds=bounds.seconds)
    run = SwanlabRun(MetricCollector(limits), Console(limits.line_characters))
    run.run = RunId(
        id=asked.run_id, entity=asked.entity, project=asked.project, name=text(found.get("name"))
    )
    run.state = _STATES.get(str(found.get("state")))
    server.stage = ReadStage.HISTORY
    _every_value(server, columns, run, asked.host)
    profile = mapping(found.get("profile"))
    facts = run.facts(
        message("SwanLab run {run} on {host}", run=asked.run_id, host=asked.host),
        plain(mapping(profile.get("config")), run.collector.gaps),
        mapping(profile.get("metadata")),
        requirements_of(text(profile.get("requirements")) or ""),
    )
    if facts is None:
        raise ReadingError(ReadFailure(kind="empty"))
    return replace(facts, private=private)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where a run's values lie; those of a copy lie with the run that it was copied from."""

    project: str
    run: str
    own_project: str
    own_run: str
    name: str
    created: int
    """Seconds since 1970, which the store wants to be told."""

    @classmethod
    def of(cls, held: dict[str, Any], found: dict[str, Any], asked: str) -> _Columns:
        """Read them; raises ReadingError where the server names another run, or none."""
        own_run, own_project = text(found.get("cuid")), text(held.get("cuid"))
        if own_run is None or own_project is None:
            raise ReadingError(ReadFailure(kind="garbage"))
        if asked not in (own_run, found.get("slug")):
            raise ReadingError(ReadFailure(kind="other-run"))
        created = seconds_since_1970(found.get("createdAt"))
        if created is None or created <= 0:
            raise ReadingError(ReadFailure(kind="garbage"))
        return cls(
            text(found.get("rootProId")) or own_project,
            text(found.get("rootExpId")) or own_run,
            own_project,
            own_run,
            text(found.get("name")) or own_run,
            int(created),
        )

    def experiments(self) -> list[dict[str, object]]:
        """What names of metrics are asked of."""
        return [
            {"projectId": self.project, "experimentId": self.run, "createdAt": self.created},
        ]

    def export(self, keys: Sequence[str]) -> dict[str, object]:
        """What a table of these metrics is asked with."""
        column: dict[str, object] = {
            "experimentName": self.name,
            "experimentId": self.own_run,
            "createdAt": self.created,
        }
        if (self.project, self.run) != (self.own_project, self.own_run):
            column |= {"rootProId": self.project, "rootExpId": self.run}
        return {"projectId": self.own_project, "columns": [{**column, "key": key} for key in keys]}


class _Cloud(JsonServer):
    """SwanLab's REST API."""

    def __init__(self, api: str, bounds: Bounds, tell: Tell) -> None:
        super().__init__(bounds, tell)
        self._api = api
        self._key: dict[str, Secret] = {}
        """Header to its value: the key's own, then the session's."""

    def sign_in(self, key: Secret | None) -> None:
        """Exchange the key for a session; raises ReadingError without one that is known."""
        if key is None:
            raise ReadingError(ReadFailure(kind="no-key"))
        self._key = {"authorization": key}
        session = self.ask("login/api_key", {}).get("sid")
        if not isinstance(session, str) or not session.isascii() or not session.isprintable():
            raise ReadingError(ReadFailure(kind="garbage"))
        if not session or len(session) > 4096 or {";", ",", " "} & set(session):
            raise ReadingError(ReadFailure(kind="garbage"))
        self._key = {"Cookie": Secret(f"sid={session}")}

    def ask(self, path: str, body: object = None) -> dict[str, Any]:
        """The object at a path of the API, or what is answered to one."""
        return self._accepted(self.json(f"{self._api}/api/{path}", self._key, body))

    def table(self, body: object) -> bytes:
        """The table that is exported; raises ReadingError where it lies nowhere that is read."""
        place = text(self.ask("house/metrics/scalar/export", body).get("cosKey"))
        if place is None:
            raise ReadingError(ReadFailure(kind="garbage", stage=self.stage))
        urls = self.ask("files/presigned/get", {"paths": [place]}).get("urls")
        url = urls[0] if isinstance(urls, list) and len(urls) == 1 else None
        if not isinstance(url, str) or not is_public(url, self._api):
            raise ReadingError(ReadFailure(kind="garbage", stage=self.stage))
        return self._accepted(self.content(url, {}))

    def _accepted(self, answer: T | RefusedRequest) -> T:
        if not isinstance(answer, RefusedRequest):
            return answer
        raise self.refused(answer, missing=answer.status == 404)


def is_public(url: str, api: str) -> bool:
    """Whether an address that the server gave is one of the public internet, over https.

    On a server of this machine, one of this machine.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    if not url.isascii() or not url.isprintable() or " " in url or "@" in parts.netloc:
        return False
    if is_loopback(urlsplit(api).hostname or ""):
        return parts.scheme in ("http", "https") and is_loopback(host)
    try:
        ipaddress.ip_address(host)
    except ValueError:
        local = is_loopback(host) or host.endswith((".local", ".internal", ".localhost"))
        return parts.scheme == "https" and port in (None, 443) and "." in host and not local
    return False


def _every_value(server: _Cloud, columns: _Columns, run: SwanlabRun, host: str) -> None:
    """Take every value of every metric, as far as the bounds allow."""
    with as_far_as_bounds_allow(run.collector, host):
        # What is evidence comes first, in case a bound is reached.
        wanted = sorted(
            (key for key in _keys(server, columns, run.collector.look) if run.wants(key)),
            key=lambda key: (key not in COMPARED, key),
        )
        for at in range(0, len(wanted), _BATCH):
            keys = wanted[at : at + _BATCH]
            _take(server.table(columns.export(keys)), keys, run, server.stage)
            run.collector.look()


def _keys(server: _Cloud, columns: _Columns, look: Callable[[], None]) -> Iterator[str]:
    def page(cursor: str) -> tuple[object, object]:
        asked = {"experiments": columns.experiments(), "limit": _KEYS, "cursor": cursor}
        found = server.ask("house/metrics/scalar/keys", asked)
        return found.get("keys", []), found.get("hasMore") is True and found.get("nextCursor")

    for keys in server.pages(page):
        if not all(isinstance(key, str) for key in keys):
            raise ReadingError(ReadFailure(kind="garbage", stage=server.stage))
        yield from keys
        look()


def _take(table: bytes, keys: Sequence[str], run: SwanlabRun, stage: ReadStage) -> None:
    """Take a table: a row a step, and of each metric a value and milliseconds since 1970.

    Raises ReadingError for what is none; StoppedError at a bound.
    """
    text = io.TextIOWrapper(io.BytesIO(table), "utf-8", "replace", newline="")
    rows = csv.reader(text, strict=True)
    width = 1 + 2 * len(keys)
    try:
        if not _is_of(next(rows, []), keys):
            raise ReadingError(ReadFailure(kind="garbage", stage=stage))
        for row in rows:
            if not row:
                continue
            if len(row) != width:
                raise ReadingError(ReadFailure(kind="garbage", stage=stage))
            step = _number(row[0])
            for at, key in enumerate(keys):
                value, when = _number(row[1 + 2 * at]), _number(row[2 + 2 * at])
                if value is not None:
                    whole = int(step) if step is not None and step.is_integer() else None
                    run.scalar(key, value, whole, None if when is None else when / 1000)
    except csv.Error:
        raise ReadingError(ReadFailure(kind="garbage", stage=stage)) from None


def _is_of(header: Sequence[str], keys: Sequence[str]) -> bool:
    """Whether a table's columns are these metrics', as far as it names them.

    A metric's first column is "{run's name}-{metric}_step".
    """
    named = [f"-{key}_step" for key in keys]
    return len(header) == 1 + 2 * len(keys) and not any(
        not cell.endswith(own) and cell.endswith(tuple(named))
        for cell, own in zip(header[1::2], named, strict=True)
    )


def _number(cell: str) -> float | None:
    """A finite number; None for an empty cell, and for what is no measurement."""
    if not cell or len(cell) > _CELL or not cell.isascii() or "_" in cell:
        return None
    try:
        return number(float(cell))
    except ValueError:
        return None
