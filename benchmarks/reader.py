"""How long the reader takes for a script in a running process: median, p95 and maximum.

`python -m benchmarks.reader [DIR…]`; without a folder, the repository's own scripts.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

from bot.shell import read

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", default=[ROOT / "examples" / "tuning"])
    arguments = parser.parse_args()
    scripts = [
        (str(path), path.read_bytes())
        for folder in arguments.folders
        for path in sorted(folder.rglob("*.sh"))
        if path.is_file()
    ]
    if not scripts:
        print("No script (*.sh) there.")
        return 2
    for path, data in scripts[:20]:
        read(data, path)
    times = []
    for path, data in scripts:
        start = time.perf_counter()
        read(data, path)
        times.append(1000 * (time.perf_counter() - start))
    times.sort()
    p95 = times[min(len(times) - 1, int(0.95 * len(times)))]
    print(
        f"{len(times)} scripts: median {statistics.median(times):.2f} ms, p95 {p95:.2f} ms, "
        f"max {times[-1]:.1f} ms"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
