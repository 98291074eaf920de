"""Bounds of reading one run: each one that is hit becomes a sentence in `Facts.gaps`."""

from __future__ import annotations

from bot.base.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """How much of a run is read at most."""

    log_bytes: int = 4 << 30
    """Bytes of the transaction log."""
    record_bytes: int = 8 << 20
    """Bytes of one record; a longer one is skipped."""
    rows: int = 5_000_000
    """Rows of the history and rows of the system stream, each."""
    config_bytes: int = 4 << 20
    """Characters of JSON of the configuration's entries, their names counted as forty each."""
    metrics: int = 20_000
    """Different metric names."""
    seconds: float = 300.0
    """Wall-clock time for the transaction log."""
    side_file_bytes: int = 4 << 20
    """Bytes of each file beside the log but the console (metadata, requirements, config)."""
    output_bytes: int = 32 << 20
    """Bytes of the console output beside the log."""
    line_characters: int = 65_536
    """Characters of a console line that are kept while its end is awaited."""
    console_bytes: int = 256 << 20
    """Bytes of a plain console log."""
