"""How long an estimate takes in a running process: `python -m benchmarks.estimate [SCRIPT]`.

*Estimate* is the arithmetic of a workload that is read; the second row reads the script, plans its
launch and estimates it, each time anew; the third adds what would help most.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bot.frameworks import plans
from bot.memory.estimator import estimate_workload
from bot.memory.from_plan import device_named, estimate_plan, workload_of
from bot.memory.options import what_helps
from bot.shell import read

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
TURNS = 201
BOUNDS = {"estimate": 1.0, "read, plan and estimate": 20.0}
"""Median milliseconds."""


def main() -> int:
    """Measure and print; returns 1 when a median is above its bound."""
    path = sys.argv[1] if len(sys.argv) > 1 else SCRIPT
    script, device = (ROOT / path).read_bytes(), device_named("h800")
    plan = plans(read(script, path))[0]
    workload = workload_of(plan)
    steps: dict[str, Callable[[], object]] = {
        "estimate": lambda: estimate_workload(workload, device).outcome,
        "read, plan and estimate": lambda: estimate_plan(plans(read(script, path))[0], device),
        "what would help": lambda: what_helps(workload, device),
    }
    late = False
    for name, step in steps.items():
        step()  # The first turn reads the tables.
        taken = []
        for _ in range(TURNS):
            start = time.perf_counter()
            step()
            taken.append(1000 * (time.perf_counter() - start))
        low, median, high = min(taken), statistics.median(taken), max(taken)
        late |= median > BOUNDS.get(name, median)
        print(f"{name:<24} {low:>6.2f} ms {median:>6.2f} ms {high:>6.2f} ms")
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
