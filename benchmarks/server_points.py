"""How long a million values of a metric take to be read from a tracker's server.

    python -m benchmarks.server_points [POINTS]

The servers, MLflow's and SwanLab's, are the tests' stand-ins on this machine, and what they take
counts; the memory is the greatest resident size of the reading process.
"""

from __future__ import annotations

import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, Final

from benchmarks.tracker_points import METRIC, value
from bot.evidence.links import parse_link
from bot.evidence.online import Access, read_online
from tests.trackers.mlflow_server import Mlflow
from tests.trackers.swanlab_server import KEY, Swanlab

RUN: Final = "a" * 32
FIRST: Final = 1_700_000_000_000
"""Milliseconds since 1970 of step 0."""


def main() -> int:
    """Measure; the exit status is 1 where a value or the peak was lost."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with Mlflow().serving() as mlflow:
        for step in range(1, count + 1):
            mlflow.point(RUN, METRIC, value(step, count), step, FIRST + step)
        mlflow.add(RUN)
        lost = _apart("MLflow", mlflow.link(RUN), {"MLFLOW_TRACKING_URI": mlflow.url}, count)
    with Swanlab().serving() as swanlab:
        steps = range(1, count + 1)
        swanlab.values[METRIC] = [(step, value(step, count), FIRST + step) for step in steps]
        named = {"SWANLAB_API_HOST": swanlab.url, "SWANLAB_API_KEY": KEY}
        lost |= _apart("SwanLab", swanlab.link, named, count)
    return int(lost)


def _apart(*what: Any) -> bool:
    """`_read` in a process of its own, since a fork counts as large as what it was forked from."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_read, *what).result()


def _read(name: str, link: str, environment: dict[str, str], count: int) -> bool:
    """Read and print; whether something was lost."""
    access = Access.from_environment(environment)
    begun = time.perf_counter()
    found = read_online(parse_link(link, access.run_hosts()), access)
    seconds = time.perf_counter() - begun
    series = found.history[METRIC]
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{name}: {count:,} values: {seconds:.1f} s, {memory:.0f} MB")
    return (series.rows, series.maximum, found.gaps) != (count, 71.5, ())


if __name__ == "__main__":
    sys.exit(main())
