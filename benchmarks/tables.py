"""How long loading the settings of one release takes, for each framework's newest.

`python -m benchmarks.tables [--rounds N]`. Each round loads the release in a process of its own,
so that nothing is kept from the round before; the time is that of the loading alone.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOTS = {
    "verl": "ppo_trainer",
    "openrlhf": "openrlhf.cli.train_ppo_ray",
    "trl": "trl.scripts.grpo",
    "open-instruct": "open_instruct.grpo_fast",
}
CODE = """
import sys, time
from bot.frameworks.tables import releases, table
framework, root = sys.argv[1:]
begun = time.perf_counter()
version = releases(framework)[-1]
found = table(framework, version, root)
print(1000 * (time.perf_counter() - begun), version, found is not None)
"""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    print(f"{'release':<24} {'min':>8} {'median':>8} {'max':>8}")
    for framework, root in ROOTS.items():
        times = []
        for _ in range(rounds):
            command = [sys.executable, "-c", CODE, framework, root]
            done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
            taken, version, found = done.stdout.split()
            if found != "True":
                print(f"{framework} {version} has no table for {root}")
                return 1
            times.append(float(taken))
        low, middle, high = min(times), statistics.median(times), max(times)
        name = f"{framework} {version}"
        print(f"{name:<24} {low:>5.1f} ms {middle:>5.1f} ms {high:>5.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
