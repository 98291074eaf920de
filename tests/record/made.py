"""Manifests of scripts as `rlbot record` writes them, without anything being started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bot.evidence.printed_log import PrintedLog
from bot.evidence.trackers.manifest import chained
from bot.record.beginning import beginning
from bot.record.nvml import NvmlError
from bot.record.recorder import body_of, end_record
from bot.report.manifest import ManifestBegin

HOME = "/root"


def recorded(path: Path, script: Path, *, steps: int = 1, **begin: object) -> Path:
    """The manifest of a run of the script that printed so many steps, on a host without GPUs.

    `begin` changes the first record.
    """
    first = beginning(["bash", str(script)], NvmlError("none"), {"HOME": HOME})
    changed: ManifestBegin = replace(first, **begin)  # type: ignore[arg-type]
    printed = PrintedLog()
    for step in range(1, steps + 1):
        printed.feed(f"step:{step} - actor/loss:0.1 - response_length/max:1024.0\n".encode())
    start, before = chained(b"", body_of(changed))
    path.write_bytes(start + chained(before, body_of(end_record(0, 0, printed)))[0])
    return path
