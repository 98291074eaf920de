"""What `rlbot record` costs while its command runs: the share of one core that the samples take.

    python -m benchmarks.record_cost [SECONDS]

The command is a tree of nine processes, beside a stand-in for NVML's library with two GPUs. What
the recorder's threads have used (Linux's schedstat) is read once it samples, and again SECONDS (20)
later.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.trackers.record import nvml

ROOT: Final = Path(__file__).resolve().parents[1]
SETTLED: Final = 3.0
"""Seconds after which what is done once, at the beginning, is over."""
PROCESSES: Final = 8


def used(pid: int) -> float:
    """Seconds of processor time that a process's threads have used."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def share(folder: Path, seconds: float) -> float:
    """The share of a core that a recording takes."""
    (folder / "gpus").mkdir()
    library = nvml(folder).parent
    variables = {
        **os.environ, "PYTHONPATH": str(ROOT), "NVML_STANDIN": str(folder / "gpus"),
        "LD_LIBRARY_PATH": str(library),
    }  # fmt: skip
    length = int(seconds + 3 * SETTLED)
    sleeping = f"touch started; for i in {'x ' * PROCESSES}; do sleep {length} & done; wait"
    command = [sys.executable, "-m", "bot", "record", "--out", "m", "--", "sh", "-c", sleeping]
    with subprocess.Popen(command, cwd=folder, env=variables, stderr=subprocess.DEVNULL) as running:
        while not (folder / "started").exists() and running.poll() is None:
            time.sleep(0.1)
        time.sleep(SETTLED)
        before, began = used(running.pid), time.monotonic()
        time.sleep(seconds)
        spent, passed = used(running.pid) - before, time.monotonic() - began
        running.wait()
    return spent / passed


def main() -> int:
    """Measure; the exit status is 1 from half a percent of a core."""
    with TemporaryDirectory() as folder:
        found = share(Path(folder), float(sys.argv[1]) if len(sys.argv) > 1 else 20)
    print(f"{found:.2%} of one core")
    return int(found >= 0.005)


if __name__ == "__main__":
    sys.exit(main())
