"""Answers to the SDK's GraphQL operations, by name.

W&B's schema is not public, so operations are told apart by name and variables. A document that asks
for a field in `Wandb.unknown_fields` is refused, as a server of another version would.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tests.wandb_server.store import StoredRun

if TYPE_CHECKING:
    from tests.wandb_server.server import Wandb

Variables = Mapping[str, Any]
Answer = dict[str, Any]


def answer(server: Wandb, operation: str, variables: Variables, key: str | None) -> Answer:
    """The `data` of one operation; raises KeyError for an unknown one."""
    return _OPERATIONS[operation](server, variables, key)


def _viewer(_server: Wandb, _variables: Variables, key: str | None) -> Answer:
    if key is None:
        return {"viewer": None}
    return {
        "viewer": {
            "id": "VXNlcjox",
            "entity": "ada",
            "username": "ada",
            "email": "ada@example.org",
            "flags": "{}",
            "teams": {"edges": []},
            "admin": False,
            "name": "Ada",
        }
    }


def _features(*_: object) -> Answer:
    return {"serverInfo": {"features": []}}


def _upsert(server: Wandb, variables: Variables, _key: str | None) -> Answer:
    entity, project = variables.get("entity") or "ada", variables["project"]
    name = variables["name"]
    with server.store.lock:
        run = server.store.runs.get((entity, project, name))
        inserted = run is None
        if run is None:
            run = server.store.add(StoredRun(entity=entity, project=project, name=name))
        run.display_name = variables.get("displayName") or run.display_name or name
        run.group = variables.get("groupName") or run.group
        run.sweep = variables.get("sweep") or run.sweep
        if variables.get("config"):
            run.config = json.loads(variables["config"])
        if variables.get("summaryMetrics"):
            run.summary = json.loads(variables["summaryMetrics"])
    bucket = _node(run) | {
        "description": "",
        "project": {"id": "p", "name": project, "entity": {"id": "e", "name": entity}},
    }
    return {"upsertBucket": {"bucket": bucket, "inserted": inserted}}


def _create_files(server: Wandb, variables: Variables, _key: str | None) -> Answer:
    place = f"/storage/{variables['entity']}/{variables['project']}/{variables['run']}"
    return {
        "createRunFiles": {
            "runID": variables["run"],
            "uploadHeaders": [],
            "files": [
                {"name": name, "uploadUrl": f"{server.url}{place}/{name}"}
                for name in variables["files"]
            ],
        }
    }


def _node(run: StoredRun) -> Answer:
    return {
        "id": f"id-{run.name}",
        "projectId": "1",
        "tags": [],
        "name": run.name,
        "displayName": run.display_name,
        "sweepName": run.sweep,
        "state": run.state,
        "config": json.dumps(run.config),
        "group": run.group,
        "jobType": None,
        "commit": None,
        "readOnly": True,
        "createdAt": run.created,
        "heartbeatAt": run.created,
        "description": "",
        "notes": None,
        "systemMetrics": json.dumps(json.loads(run.events[-1]) if run.events else {}),
        "summaryMetrics": json.dumps(run.summary),
        "historyLineCount": run.rows,
        "eventsLineCount": len(run.events),
        "logLineCount": len(run.console),
        "user": {"name": run.user.title(), "username": run.user},
        "historyKeys": run.history_keys(),
    }


def _find(server: Wandb, variables: Variables, key: str | None) -> StoredRun | None:
    entity, project = variables["entity"], variables["project"]
    name = variables.get("name") or variables.get("runName") or variables.get("run")
    if not server.store.visible(entity, project, key):
        return None
    return server.store.runs.get((entity, project, str(name)))


def _of_run(make: Callable[[Wandb, StoredRun, Variables], Answer]) -> Operation:
    """An operation about one run: its project is null when it cannot be seen."""

    def operation(server: Wandb, variables: Variables, key: str | None) -> Answer:
        entity, project = variables["entity"], variables["project"]
        known = server.store.of(entity, project) and server.store.visible(entity, project, key)
        if not known:
            return {"project": None}
        run = _find(server, variables, key)
        access = server.store.access.get((entity, project), "USER_READ")
        found = None if run is None else make(server, run, variables)
        seen = {} if "access" in server.unknown_fields else {"access": access}
        return {"project": {**seen, "internalId": "1", "run": found}}

    return operation


Operation = Callable[["Wandb", Variables, "str | None"], Answer]


def _run(server: Wandb, run: StoredRun, _variables: Variables) -> Answer:
    node = _node(run)
    if server.uncounted:
        keys = node["historyKeys"]["keys"]
        node["historyKeys"]["keys"] = {key: {"monotonic": False} for key in keys}
    return node


def _runs(server: Wandb, variables: Variables, key: str | None) -> Answer:
    entity, project = variables["entity"], variables["project"]
    if not server.store.visible(entity, project, key):
        return {"project": None}
    filters = json.loads(variables.get("filters") or "{}")
    wanted = {"group": filters.get("group"), "sweep": filters.get("sweep")}
    found = [
        run
        for run in server.store.of(entity, project)
        if all(value is None or getattr(run, field) == value for field, value in wanted.items())
    ]
    order = variables.get("order") or "+created_at"
    found.sort(key=lambda run: run.created, reverse=order.startswith("-"))
    start = int(variables.get("cursor") or 0)
    page = found[start : start + (variables.get("perPage") or 50)]
    end = start + len(page)
    edges = [
        {"node": _node(run), "cursor": str(start + number)} for number, run in enumerate(page, 1)
    ]
    return {
        "project": {
            "internalId": "1",
            "runCount": len(found),
            "readOnly": True,
            "runs": {
                "edges": edges,
                "pageInfo": {
                    "endCursor": str(end),
                    "hasNextPage": "Runs" in server.endless or end < len(found),
                },
            },
        }
    }


def _history_page(_server: Wandb, run: StoredRun, variables: Variables) -> Answer:
    rows = run.between(variables["minStep"], variables["maxStep"])
    return {"history": [json.dumps(row) for row in _sampled(list(rows), variables["pageSize"])]}


def _sampled_page(server: Wandb, run: StoredRun, variables: Variables) -> Answer:
    specs = [json.loads(spec) for spec in variables.get("specs") or [variables["spec"]]]
    pages = []
    for spec in specs:
        keys = dict.fromkeys(spec["keys"])
        rows = [
            {key: row[key] for key in keys}
            for row in run.between(spec.get("minStep", 0), spec.get("maxStep", 1 << 62) + 1)
            if all(key in row for key in keys)
        ]
        samples = min(spec["samples"], server.max_samples)
        pages.append(_sampled(rows, samples))
    return {"sampledHistory": pages}


def _sampled(rows: list[Any], samples: int) -> list[Any]:
    """At most `samples` rows, spread evenly, as the service thins them out."""
    if len(rows) <= samples:
        return rows
    return [rows[n * len(rows) // samples] for n in range(samples)]


def _full_history(server: Wandb, run: StoredRun, variables: Variables) -> Answer:
    return {"events": _sampled(run.events, min(variables["samples"], server.max_samples))}


def _parquet(server: Wandb, run: StoredRun, _variables: Variables) -> Answer:
    place = f"{server.files_url}/exports/{run.entity}/{run.project}/{run.name}"
    live = [] if run.live_from is None else [{"_step": run.live_from}] if run.exports else []
    urls = [f"{place}/{number}.parquet" for number in range(len(run.exports))]
    return {"parquetHistory": {"parquetUrls": urls, "liveData": live}}


def _files(server: Wandb, run: StoredRun, variables: Variables) -> Answer:
    wanted = variables.get("fileNames") or sorted(run.files)
    edges = []
    for name in wanted:
        if name not in run.files:
            continue
        url = f"{server.files_url}/storage/{run.entity}/{run.project}/{run.name}/{name}"
        node = {
            "id": name,
            "name": name,
            "url": url,
            "directUrl": url,
            "sizeBytes": server.claimed_sizes.get(name, len(run.files[name])),
            "mimetype": "text/plain",
            "updatedAt": run.created,
            "md5": "",
        }
        edges.append({"node": node, "cursor": name})
    return {
        "fileCount": len(run.files),
        "files": {
            "edges": edges,
            "pageInfo": {"endCursor": "1", "hasNextPage": "RunFiles" in server.endless},
        },
    }


def _line(run: StoredRun, number: int) -> Answer:
    text = run.console[number].rstrip("\n")
    level = ""
    if text.startswith("ERROR "):
        level, text = "error", text[len("ERROR ") :]
    stamp, space, rest = text.partition(" ")
    if space and len(stamp) > 18 and stamp[4] == "-" and "T" in stamp:
        text = rest
    else:
        stamp = ""
    return {"number": number, "timestamp": stamp, "level": level, "label": "", "line": text}


def _log_tail(server: Wandb, run: StoredRun, variables: Variables) -> Answer:
    numbers = sorted(run.console)[-min(variables["last"], server.max_samples) :]
    edges = [{"node": _line(run, number)} for number in numbers]
    return {"logLineCount": len(run.console), "logLines": {"edges": edges}}


def _log_page(_server: Wandb, run: StoredRun, variables: Variables) -> Answer:
    start = int(variables.get("after") or 0)
    numbers = sorted(run.console)[start : start + (variables.get("first") or 1000)]
    end = start + len(numbers)
    page = {"endCursor": str(end), "hasNextPage": end < len(run.console)}
    edges = [{"node": _line(run, number)} for number in numbers]
    return {"logLineCount": len(run.console), "logLines": {"edges": edges, "pageInfo": page}}


_OPERATIONS: dict[str, Operation] = {
    "Viewer": _viewer,
    "GetViewer": _viewer,
    "GetDefaultEntity": _viewer,
    "ServerFeaturesQuery": _features,
    "UpsertBucket": _upsert,
    "CreateRunFiles": _create_files,
    "RunAccess": _of_run(lambda _server, run, _variables: {"name": run.name}),
    "RunCounts": _of_run(_run),
    "Run": _of_run(_run),
    "RunHistoryKeys": _of_run(_run),
    "QueryRunInfo": _of_run(_run),
    "Runs": _runs,
    "RunFullHistory": _of_run(_full_history),
    "HistoryPage": _of_run(_history_page),
    "SampledHistoryPage": _of_run(_sampled_page),
    "RunSampledHistory": _of_run(_sampled_page),
    "RunParquetHistory": _of_run(_parquet),
    "RunFiles": _of_run(_files),
    "RunConsoleLogTail": _of_run(_log_tail),
    "RunConsoleLogPage": _of_run(_log_page),
}
