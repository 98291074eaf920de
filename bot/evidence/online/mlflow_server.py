"""A run on an MLflow server, over its REST API (mlflow.org/docs/latest/api_reference/rest-api).

`runs/get` gives parameters, tags and the last value of each metric, `metrics/get-history` every
value, in pages where the server's store has them. The facts are made as those of MLflow's files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

from bot.base.digits import is_digits
from bot.base.messages import message
from bot.base.secrets import Secret
from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.json_values import mapping, number, text
from bot.evidence.limits import RunLimits
from bot.evidence.metrics import COMPARED
from bot.evidence.online.bounds import Bounds, Tell
from bot.evidence.online.failure import ReadFailure, ReadingError, ReadStage
from bot.evidence.online.json_server import JsonServer, ServerRun, as_far_as_bounds_allow
from bot.evidence.online.requests import RefusedRequest
from bot.evidence.trackers.mlflow import MlflowRun

_PAGE: Final = 25_000
"""Values in a page: the most that a server gives."""
_MISSING: Final = b"RESOURCE_DOES_NOT_EXIST"


def read_mlflow_server(asked: ServerRun, bounds: Bounds, tell: Tell) -> Facts:
    """Read the run within `bounds`; raises ReadingError where it cannot be read."""
    server = _Server(asked, bounds, tell)
    found, private = _permitted(server, asked)
    info, data = _checked(found, asked)
    limits = RunLimits(rows=bounds.rows, seconds=bounds.seconds)
    run = MlflowRun(limits)
    run.status = text(info.get("status"))
    for entry in _entries(data, "params"):
        run.param(entry["key"], text(entry.get("value")) or "")
    for entry in _entries(data, "tags"):
        run.tags[entry["key"]] = text(entry.get("value")) or ""
    whole = _every_value(server, asked, data, run)
    if whole and run.status in _ENDED and server.get("runs/get", {"run_id": asked.run_id}) != found:
        run.collector.gaps.note(
            "The run was changed while it was read: what is compared may be of before and after."
        )
    source = message("MLflow run {run} on {host}", run=asked.run_id, host=asked.host)
    name, project = text(info.get("run_name")), _experiment(server, asked.project)
    try:
        facts = run.facts(asked.run_id, name, project, source)
    except EvidenceError:
        raise ReadingError(ReadFailure(kind="empty")) from None
    return replace(facts, private=private)


_ENDED: Final = frozenset({"FINISHED", "FAILED", "KILLED"})


def _every_value(
    server: _Server, asked: ServerRun, data: Mapping[str, Any], run: MlflowRun
) -> bool:
    """Take every value of every metric; whether no bound was reached."""
    latest = {e["key"]: _place(e) for e in _entries(data, "metrics") if run.wants(e["key"])}
    short, whole = list[str](), False
    with as_far_as_bounds_allow(run.collector, asked.host):
        # What is evidence comes first, in case a bound is reached.
        for key in sorted(latest, key=lambda key: (key not in COMPARED, key)):
            if _history(server, asked.run_id, key, run) < latest[key]:
                short.append(key)
            run.collector.look()
        whole = True
    if whole and short:
        run.collector.gaps.note_plural(
            "The server gave {count} metric without its last value ({names}): the history may "
            "be incomplete.",
            "The server gave {count} metrics without their last values ({names}): the history "
            "may be incomplete.",
            len(short),
            names=", ".join(ascii(key)[1:-1] for key in short[:3]),
        )
    return whole


class _Server(JsonServer):
    """MLflow's REST API."""

    def __init__(self, asked: ServerRun, bounds: Bounds, tell: Tell) -> None:
        super().__init__(bounds, tell)
        self._asked = asked
        self.authorization: Secret | None = None

    def get(self, method: str, values: Mapping[str, str]) -> dict[str, Any] | RefusedRequest:
        """The answer to a question, or with which status it was refused."""
        key = {} if self.authorization is None else {"Authorization": self.authorization}
        url = f"{self._asked.server}/api/2.0/mlflow/{method}?{urlencode(values)}"
        return self.json(url, key)


def _permitted(server: _Server, asked: ServerRun) -> tuple[dict[str, Any], bool]:
    """The run's record, and whether only a key shows it: everybody's view comes first."""
    question = {"run_id": asked.run_id}
    try:
        found = server.get("runs/get", question)
    except ReadingError as error:
        # Some servers send whoever has no key to a page for signing in.
        if asked.key is None or error.failure.kind != "redirect":
            raise
        found = RefusedRequest(401)
    if isinstance(found, dict):
        return found, False
    if found.status in (401, 403):
        if asked.key is None:
            raise ReadingError(ReadFailure(kind="no-key", status=found.status))
        server.authorization = asked.key
        found = server.get("runs/get", question)
        if isinstance(found, dict):
            if not asked.allow_private:
                raise ReadingError(ReadFailure(kind="private"))
            return found, True
    raise server.refused(found, missing=_MISSING in found.body)


def _checked(
    found: Mapping[str, Any], asked: ServerRun
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Info and data of the run's record; raises ReadingError where it is another run's."""
    run = mapping(found.get("run"))
    info, data = run.get("info"), run.get("data", {})
    if not isinstance(info, dict) or not isinstance(data, dict):
        raise ReadingError(ReadFailure(kind="garbage"))
    named = info.get("run_id") or info.get("run_uuid")
    if named != asked.run_id:
        raise ReadingError(ReadFailure(kind="other-run"))
    if str(info.get("experiment_id")) != asked.project or info.get("lifecycle_stage") == (
        "deleted"
    ):
        raise ReadingError(ReadFailure(kind="not-found"))
    return info, data


def _history(server: _Server, run_id: str, key: str, run: MlflowRun) -> tuple[float, float]:
    """Take every value of a metric; the latest step and time.

    Raises StoppedError at a bound, ReadingError where the server does not answer.
    """
    server.stage = ReadStage.HISTORY
    last = _NEVER
    for values in _pages(server, {"run_id": run_id, "metric_key": key}):
        for value in values:
            if not isinstance(value, dict) or value.get("key", key) != key:
                raise ReadingError(ReadFailure(kind="garbage", stage=server.stage))
            last = max(last, _place(value))
            run.stored(key, value.get("value"), *map(_integer, _when(value)))
    return last


def _pages(server: _Server, question: Mapping[str, str]) -> Iterator[list[Any]]:
    def page(token: str) -> tuple[object, object]:
        more = {"page_token": token} if token else {}
        wanted = {**question, "max_results": str(_PAGE), **more}
        answer = server.get("metrics/get-history", wanted)
        if isinstance(answer, RefusedRequest):
            raise server.refused(answer, missing=_MISSING in answer.body)
        return answer.get("metrics", []), answer.get("next_page_token")

    return server.pages(page)


_NEVER: Final = (float("-inf"), float("-inf"))


def _when(value: Mapping[str, Any]) -> tuple[object, object]:
    """Step and milliseconds since 1970; a step that is 0 may be left out."""
    return value.get("step", 0), value.get("timestamp", 0)


def _place(value: Mapping[str, Any]) -> tuple[float, float]:
    """Step and time of a value, to see which is the latest."""
    step, when = (number(_integer(part)) for part in _when(value))
    return _NEVER if step is None or when is None else (step, when)


def _integer(value: object) -> object:
    """A whole number; JSON made of protobuf may write it as text."""
    if isinstance(value, str) and len(value) < 20 and is_digits(value.removeprefix("-")):
        return int(value)
    return value


def _entries(data: Mapping[str, Any], name: str) -> Iterator[dict[str, Any]]:
    listed = data.get(name, [])
    if not isinstance(listed, list):
        raise ReadingError(ReadFailure(kind="garbage"))
    for entry in listed:
        if isinstance(entry, dict) and isinstance(entry.get("key"), str):
            yield entry


def _experiment(server: _Server, number_: str) -> str | None:
    """The experiment's name; None where it is not said."""
    try:
        answer = server.get("experiments/get", {"experiment_id": number_})
    except ReadingError:
        return None
    return text(mapping(mapping(answer).get("experiment")).get("name"))
