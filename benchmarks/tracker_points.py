"""How long a million values of a metric take to be read, and how much memory, source by source.

    python -m benchmarks.tracker_points [POINTS]

Each source is read in a process of its own; its memory is the greatest resident size.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.trackers.writers import (
    event,
    mlflow_database,
    swanlab_json,
    swanlab_log,
    swanlab_scalar,
    tfrecords,
    trackio_database,
)

METRIC: Final = "perf/max_memory_allocated_gb"
READ: Final = (
    "import sys, time; from pathlib import Path; from bot.evidence import read; "
    "begun = time.perf_counter(); found = read(Path(sys.argv[1])); "
    "series = found.history[sys.argv[2]]; "
    "print(series.rows, series.maximum, len(found.gaps), time.perf_counter() - begun, "
    "next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
)


def value(step: int, count: int) -> float:
    """61 GiB, and one peak of 71.5 in the middle."""
    return 71.5 if step == count // 2 else 61.0


def _lines(folder: Path, count: int) -> Path:
    path = folder / "run.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for step in range(1, count + 1):
            row = {"step": step, "data": {METRIC: value(step, count)}}
            file.write(json.dumps(row, separators=(",", ":")) + "\n")
    return path


def _mlflow_folder(folder: Path, count: int) -> Path:
    run = folder / "mlruns/1/run"
    (run / "metrics/perf").mkdir(parents=True)
    (run / "meta.yaml").write_text("run_id: run\nstatus: 3\n", encoding="utf-8")
    with (run / "metrics" / METRIC).open("w", encoding="utf-8") as file:
        for step in range(1, count + 1):
            file.write(f"{1_700_000_000_000 + step} {value(step, count)} {step}\n")
    return run


def _file(name: str, data: Callable[[int], bytes]) -> Callable[[Path, int], Path]:
    def write(folder: Path, count: int) -> Path:
        (folder / name).write_bytes(data(count))
        return folder / name

    return write


SOURCES: Final[dict[str, Callable[[Path, int], Path]]] = {
    "TensorBoard": _file(
        "events.out.tfevents.1.host.1.0",
        lambda n: tfrecords(event(METRIC, value(step, n), step) for step in range(1, n + 1)),
    ),
    "verl's file logger": _lines,
    "SwanLab, version 1": _file(
        "backup.swanlab",
        lambda n: swanlab_log(1, (swanlab_json(METRIC, value(s, n), s) for s in range(1, n + 1))),
    ),
    "SwanLab, version 2": _file(
        "run-a.swanlab",
        lambda n: swanlab_log(2, (swanlab_scalar(METRIC, value(s, n), s) for s in range(1, n + 1))),
    ),
    "trackio": lambda folder, n: trackio_database(
        folder / "run.db",
        ((step, json.dumps({METRIC: value(step, n)})) for step in range(1, n + 1)),
    ),
    "MLflow database": lambda folder, n: mlflow_database(
        folder / "mlruns.db", ((METRIC, value(step, n), step) for step in range(1, n + 1))
    ),
    "MLflow folder": _mlflow_folder,
}


def main() -> int:
    """Measure; the exit status is 1 where a value or the peak was lost."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    lost = False
    print(f"{count:,} values\n\n| source | size | time | memory |\n| --- | --- | --- | --- |")
    for name, write in SOURCES.items():
        with TemporaryDirectory() as folder:
            path = write(Path(folder), count)
            size = sum(each.stat().st_size for each in Path(folder).rglob("*") if each.is_file())
            command = [sys.executable, "-c", READ, str(path), METRIC]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows, peak, gaps, seconds, memory = map(float, printed.split())
        lost |= (rows, peak, gaps) != (count, 71.5, 0)
        print(
            f"| {name} | {size / 1e6:.0f} MB | {seconds:.1f} s | {memory / 1024:.0f} MB |",
            flush=True,
        )
    return int(lost)


if __name__ == "__main__":
    sys.exit(main())
