"""Reads the tables that lie beside the modules as CSV, their columns named in the first line."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path


def read_table(path: Path) -> Sequence[dict[str, str]]:
    """Each row of a table, by column."""
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))
