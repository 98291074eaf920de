"""How long a cold `rlbot lint` takes, beside `python -c "import json"` in the same run.

`make bench`, or `python -m benchmarks.cold_start [--rounds N] [SCRIPT]`. The rounds alternate
between the commands, so that a change in the machine's load meets all of them. The least processor
time counts, which what else runs on the machine changes least.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

from benchmarks.timed import Taken, timed

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
BOUND = 7
"""A cold lint, its JSON too, takes at most this many times the processor time of the yardstick."""


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
    times: dict[str, list[Taken]] = {name: [] for name in commands}
    for turn in range(arguments.rounds + 1):
        for name, command in commands.items():
            one = timed(command, ROOT)
            if turn:  # the first turn fills the disk cache
                times[name].append(one)

    least = {name: min(one.processor for one in taken) for name, taken in times.items()}
    yardstick = next(iter(least.values()))
    print(f"{'command':<34} {'processor':>9} {'clock':>8}   ratio")
    for name, taken in times.items():
        clock = 1000 * statistics.median(each.clock for each in taken)
        ratio = least[name] / yardstick
        print(f"{name:<34} {1000 * least[name]:>6.0f} ms {clock:>5.0f} ms {ratio:>7.1f}")
    ratio = max(taken for name, taken in least.items() if "lint" in name) / yardstick
    print(f"\ncold lint: {ratio:.1f} x the yardstick (bound: {BOUND} x)")
    return int(ratio > BOUND)


if __name__ == "__main__":
    sys.exit(main())
