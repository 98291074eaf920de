"""Ends a reading's service and removes its folder; either of its two processes may have to."""

from __future__ import annotations

import os
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path

FAREWELL = 3.0
"""Seconds in which processes that were told to end are waited for."""


def end_service(process: int) -> None:
    """Kill the SDK's service; return at once."""
    with suppress(OSError):
        os.kill(process, signal.SIGKILL)


def wait_until_gone(process: int) -> None:
    """Wait, `FAREWELL` seconds at most, until a process that isn't our child does nothing more."""
    deadline = time.monotonic() + FAREWELL
    while _alive(process) and time.monotonic() < deadline:
        time.sleep(0.01)


def remove_folder(path: Path) -> None:
    """Remove a folder that a process may still write to while it ends."""
    for _ in range(20):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            break
        time.sleep(0.05)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, PermissionError):
        return False
    # A zombie is waiting for whoever adopted it, and does nothing any more.
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return True
