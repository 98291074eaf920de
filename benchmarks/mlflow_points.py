"""How long a million values of a metric take to be read from an MLflow server.

    python -m benchmarks.mlflow_points [POINTS]

The server is the tests' stand-in on this machine; the memory is the reading process's greatest
resident size.
"""

from __future__ import annotations

import resource
import sys
import time
from typing import Final

from benchmarks.tracker_points import METRIC, value
from bot.evidence.links import parse_link
from bot.evidence.online import Access, read_online
from tests.trackers.mlflow_server import Mlflow

RUN: Final = "a" * 32


def main() -> int:
    """Measure; the exit status is 1 where a value or the peak was lost."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with Mlflow().serving() as server:
        for step in range(1, count + 1):
            server.point(RUN, METRIC, value(step, count), step, 1_700_000_000_000 + step)
        server.add(RUN)
        access = Access.from_environment({"MLFLOW_TRACKING_URI": server.url})
        begun = time.perf_counter()
        found = read_online(parse_link(server.link(RUN), access.run_hosts()), access)
        seconds = time.perf_counter() - begun
    series = found.history[METRIC]
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{count:,} values: {seconds:.1f} s, {memory:.0f} MB")
    return int((series.rows, series.maximum, found.gaps) != (count, 71.5, ()))


if __name__ == "__main__":
    sys.exit(main())
