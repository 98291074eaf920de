"""How long a cold `rlbot lint` takes, beside `python -c "import json"` in the same run.

`make bench`, or `python -m benchmarks.cold_start [--rounds N] [SCRIPT]`. The rounds alternate
between the commands, so that a change in the machine's load meets all of them; the median counts.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
BOUND = 10.0
"""A cold lint takes at most this many times as long as the yardstick."""


def main() -> int:
    """Measure and print; returns 1 when a cold lint is above the bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("script", nargs="?", default=SCRIPT)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()

    rlbot = str(Path(sys.executable).with_name("rlbot"))
    commands = {
        'python -c "import json"': [sys.executable, "-c", "import json"],
        "rlbot --version": [rlbot, "--version"],
        "rlbot lint SCRIPT": [rlbot, "lint", arguments.script],
        "rlbot lint --format json SCRIPT": [rlbot, "lint", "--format", "json", arguments.script],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(arguments.rounds + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
            if turn:  # the first turn fills the disk cache
                times[name].append(time.perf_counter() - start)

    yardstick = statistics.median(next(iter(times.values())))
    print(f"{'command':<34} {'min':>8} {'median':>8} {'max':>8}   ratio")
    for name, taken in times.items():
        low, middle, high = (1000 * f(taken) for f in (min, statistics.median, max))
        ratio = middle / yardstick / 1000
        print(f"{name:<34} {low:>5.0f} ms {middle:>5.0f} ms {high:>5.0f} ms {ratio:>7.1f}")
    ratio = statistics.median(times["rlbot lint SCRIPT"]) / yardstick
    print(f"\ncold lint: {ratio:.1f} x the yardstick (bound: {BOUND:.0f} x)")
    return int(ratio > BOUND)


if __name__ == "__main__":
    sys.exit(main())
