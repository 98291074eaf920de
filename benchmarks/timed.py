"""How long a command takes, by the clock and by the processor."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import NamedTuple


class Taken(NamedTuple):
    """What a command took, in seconds."""

    clock: float
    processor: float
    """Of its own process and of those that it waited for: without what others took meanwhile."""


def timed(
    command: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    checked: bool = False,
) -> Taken:
    """Run a command without its output; raises SystemExit where a `checked` one fails."""
    before, start = _processor(), time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=environment, check=False, capture_output=True, text=True
    )
    taken = Taken(time.perf_counter() - start, _processor() - before)
    if checked and done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return taken


def _processor() -> float:
    usage = getrusage(RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
