"""The parquet files that W&B exports a finished run's history to."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from tests.wandb_server.store import StoredRun


def export(run: StoredRun, *, parts: int = 1, live_from: int | None = None) -> None:
    """Export the rows below step `live_from` (all without it) to `parts` files.

    A column for each key, null where a row lacks it; the rest of the history stays live.
    """
    rows = [row for row in run.history if live_from is None or row["_step"] < live_from]
    keys = dict.fromkeys(key for row in rows for key in row)
    run.exports = []
    size = -(-len(rows) // parts)
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        table = pa.table({key: [row.get(key) for row in part] for key in keys})
        out = io.BytesIO()
        pq.write_table(table, out)
        run.exports.append(out.getvalue())
    run.live_from = live_from
