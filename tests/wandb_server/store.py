"""What the stand-in keeps: runs as the SDK's requests built them."""

from __future__ import annotations

import json
import threading
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any


@dataclass
class StoredRun:
    """One run, from its upsert and its streams."""

    entity: str
    project: str
    name: str
    """The run's id; W&B calls it name."""
    display_name: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    """Wrapped as the SDK sends it: {"key": {"value": …}}."""
    summary: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    """Lines of the system stream, JSON as sent."""
    console: dict[int, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    state: str = "running"
    exit_code: int | None = None
    created: str = "2026-01-01T12:00:00"
    group: str | None = None
    sweep: str | None = None
    user: str = "ada"
    exports: list[bytes] = field(default_factory=list)
    """Parquet files of what was exported."""
    live_from: int | None = 0
    """Step from which the history is not exported; None when all of it is."""
    lost_rows: int = 0
    """Rows that `historyLineCount` counts and `history` does not hold."""
    key_rows: dict[str, int] | None = None
    """Rows of each key as `historyKeys` counts them; None: those of `history`."""

    @property
    def last_step(self) -> int:
        """The highest step, -1 without any."""
        return max((row["_step"] for row in self.history), default=-1)

    @property
    def rows(self) -> int:
        """What `historyLineCount` says."""
        return len(self.history) + self.lost_rows

    def history_keys(self) -> dict[str, Any]:
        """What `historyKeys` says: every key with its number of rows."""
        counts = dict(self.key_rows or {})
        for row in () if counts else self.history:
            for key in row:
                counts[key] = counts.get(key, 0) + 1
        return {
            "keys": {
                key: {"typeCounts": [{"type": "number", "count": count}]}
                for key, count in sorted(counts.items())
            },
            "lastStep": self.last_step,
            "sets": [],
        }

    def between(self, low: int, high: int) -> Iterator[dict[str, Any]]:
        """Rows that are not exported, with low <= step < high; the history is in order of steps."""
        if self.live_from is None:
            return
        start = bisect_left(self.history, max(low, self.live_from), key=_step)
        for row in islice(self.history, start, None):
            if row["_step"] >= high:
                return
            yield row


def _step(row: dict[str, Any]) -> int:
    step: int = row["_step"]
    return step


class Store:
    """All runs, by entity, project and id."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.runs: dict[tuple[str, str, str], StoredRun] = {}
        self.access: dict[tuple[str, str], str] = {}
        """Project to who may see it; USER_READ is everybody."""

    def add(self, run: StoredRun) -> StoredRun:
        """Keep a run that no SDK wrote."""
        self.runs[run.entity, run.project, run.name] = run
        return run

    def of(self, entity: str, project: str) -> list[StoredRun]:
        """The runs of a project."""
        return [run for run in self.runs.values() if (run.entity, run.project) == (entity, project)]

    def visible(self, entity: str, project: str, key: str | None) -> bool:
        """Whether the project can be seen with this key."""
        return key is not None or self.access.get((entity, project), "USER_READ") == "USER_READ"

    def stream(self, run: StoredRun, body: dict[str, Any]) -> None:
        """Take one request of the file stream."""
        with self.lock:
            for name, part in (body.get("files") or {}).items():
                offset, lines = part.get("offset", 0), part.get("content", [])
                if name == "wandb-history.jsonl":
                    run.history[offset:] = [json.loads(line) for line in lines]
                elif name == "wandb-events.jsonl":
                    run.events[offset:] = lines
                elif name == "wandb-summary.json":
                    run.summary = json.loads(lines[-1])
                elif name == "output.log":
                    run.console.update(enumerate(lines, start=offset))
            if body.get("complete"):
                run.exit_code = body.get("exitcode")
                run.state = "finished" if run.exit_code == 0 else "failed"
