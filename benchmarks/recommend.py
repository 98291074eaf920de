"""How long a cold `rlbot recommend` takes over every device: `python -m benchmarks.recommend`."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

BOUND = 1.0
"""Seconds."""
ROUNDS = 5
_COMMON = ("--lengths", "1024+1024")
QUESTIONS = {
    "verl grpo 7B": ("--model", "Qwen/Qwen2.5-7B", "--task", "grpo"),
    "verl ppo 32B lora": ("--model", "Qwen/Qwen2.5-32B", "--task", "ppo", "--method", "lora"),
    "verl sft 7B, 12 GPUs": (
        "--model", "Qwen/Qwen2.5-7B", "--task", "sft", "--batch", "96", "--budget-gpus", "12",
    ),
    "openrlhf ppo 8B": ("--model", "Qwen/Qwen3-8B", "--task", "ppo", "--framework", "openrlhf"),
    "openrlhf rm 70B": (
        "--model", "meta-llama/Llama-3.1-70B", "--task", "rm", "--framework", "openrlhf",
    ),
    "trl grpo 7B dora": (
        "--model", "Qwen/Qwen2.5-7B", "--task", "grpo", "--framework", "trl", "--method", "dora",
    ),
}  # fmt: skip


def main() -> int:
    """Measure and print; returns 1 when a median is above the bound."""
    rlbot = str(Path(sys.executable).with_name("rlbot"))
    worst = 0.0
    for name, question in QUESTIONS.items():
        times = []
        for turn in range(ROUNDS + 1):
            start = time.perf_counter()
            command = [rlbot, "recommend", *question, *_COMMON]
            subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
            if turn:  # the first turn fills the disk cache
                times.append(time.perf_counter() - start)
        low, median, high = min(times), statistics.median(times), max(times)
        print(f"{name:<20} {low:>6.2f} s {median:>6.2f} s {high:>6.2f} s")
        worst = max(worst, median)
    print(f"\nworst: {worst:.2f} s (bound: {BOUND:.0f} s)")
    return int(worst > BOUND)


if __name__ == "__main__":
    sys.exit(main())
