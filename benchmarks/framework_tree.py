"""`rlbot lint` with a checkout's own configuration, beside one release, on the same scripts.

`python -m benchmarks.framework_tree [--rounds N] CHECKOUT`: the scripts are those of `examples/` in
a checkout of verl. The rounds alternate between the two; the medians of the processor time count,
so that what else the machine does does not.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

BOUND = 1.5
"""The tree takes at most this many times the processor time of the release."""


def seconds(command: list[str]) -> float:
    """Processor time of a command, its children's included."""
    before = os.times()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    after = os.times()
    return (
        after.children_user - before.children_user + after.children_system - before.children_system
    )


def main() -> int:
    """Measure and print; returns 1 when the tree is above the bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    scripts = str(arguments.checkout / "examples")
    lint = [str(Path(sys.executable).with_name("rlbot")), "lint", "--format", "json", scripts]
    commands = {
        "release": [*lint, "--framework", "verl@0.9.1"],
        "tree": [*lint, "--framework-tree", str(arguments.checkout)],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(arguments.rounds):
        for name, command in commands.items():
            times[name].append(seconds(command))
    for name, taken in times.items():
        print(f"{name:<8} {statistics.median(taken):6.2f} s (median of {len(taken)})")
    ratio = statistics.median(times["tree"]) / statistics.median(times["release"])
    print(f"{ratio:.2f} x the release's time (bound: {BOUND} x)")
    return int(ratio > BOUND)


if __name__ == "__main__":
    sys.exit(main())
