"""How long a cold `rlbot recommend` takes, for cards and over every device.

`python -m benchmarks.recommend` prints the least, the median and the most of seconds, and the
processor's seconds, which another load of the machine changes less.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

BOUND, BOUND_OF_ALL = 1.0, 2.0
"""Seconds, for a device and for every one."""
ROUNDS = 5
_COMMON = ("--lengths", "1024+1024")
CARDS = {
    "two 4090": ("2x4090",),
    "8B on two 4090": ("2x4090", "Qwen3-8B"),
    "72B on 16 H100": ("16xh100", "Qwen2.5-72B"),
    "V3 on 256 H800": ("256xh800", "DeepSeek-V3"),
}
ALL = {
    "8B": ("Qwen3-8B",),
    "235B": ("Qwen3-235B-A22B",),
    "V3": ("DeepSeek-V3",),
    "verl grpo 7B": ("--model", "Qwen/Qwen2.5-7B", "--task", "grpo", *_COMMON),
    "openrlhf ppo 8B": (
        "--model", "Qwen/Qwen3-8B", "--task", "ppo", "--framework", "openrlhf", *_COMMON,
    ),
    "trl grpo 7B dora": (
        "--model", "Qwen/Qwen2.5-7B", "--task", "grpo", "--framework", "trl", "--method", "dora",
        *_COMMON,
    ),
}  # fmt: skip


def main() -> int:
    """Measure and print; returns 1 when a median is above its bound."""
    slow = 0
    for questions, bound in ((CARDS, BOUND), (ALL, BOUND_OF_ALL)):
        for name, question in questions.items():
            slow += _median(name, question) > bound
        print(f"bound: {bound:.0f} s\n")
    return int(slow > 0)


def _median(name: str, question: tuple[str, ...]) -> float:
    """The median of the rounds, printed with the others."""
    rlbot = str(Path(sys.executable).with_name("rlbot"))
    times, worked = [], []
    for turn in range(ROUNDS + 1):
        start, before = time.perf_counter(), _worked()
        command = [rlbot, "recommend", *question]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        if turn:  # the first turn fills the disk cache
            times.append(time.perf_counter() - start)
            worked.append(_worked() - before)
    low, median, high = min(times), statistics.median(times), max(times)
    print(
        f"{name:<20} {low:>6.2f} s {median:>6.2f} s {high:>6.2f} s "
        f"(processor {statistics.median(worked):.2f} s)"
    )
    return median


def _worked() -> float:
    """Seconds that the processor has worked for processes started here."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
