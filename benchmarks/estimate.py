"""How long an estimate takes in a running process: `python -m benchmarks.estimate [SCRIPT]`."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from bot.frameworks import plans
from bot.memory.from_plan import estimate_plan
from bot.memory.options import what_helps
from bot.shell import read

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
BOUND = 5.0
"""Milliseconds."""


def main() -> int:
    """Measure and print; returns 1 when the median is above the bound."""
    path = sys.argv[1] if len(sys.argv) > 1 else SCRIPT
    plan = plans(read((ROOT / path).read_bytes(), path))[0]
    taken: dict[str, list[float]] = {"estimate": [], "estimate and what would help": []}
    for turn in range(201):
        start = time.perf_counter()
        made = estimate_plan(plan, "h800")
        middle = time.perf_counter()
        what_helps(made.workload, made.estimate.device)
        end = time.perf_counter()
        if turn:  # the first turn reads the shapes
            taken["estimate"].append(middle - start)
            taken["estimate and what would help"].append(end - start)
    for name, times in taken.items():
        low, median, high = (1000 * f(times) for f in (min, statistics.median, max))
        print(f"{name:<30} {low:>6.2f} ms {median:>6.2f} ms {high:>6.2f} ms")
    return int(1000 * statistics.median(taken["estimate"]) > BOUND)


if __name__ == "__main__":
    sys.exit(main())
