"""Warms up the process that a worker's reading processes fork from (`bot.review.preload`).

A worker reads thousands of changes, so that it pays to have beforehand what only some of them need:
the comparison with a run, and docutils.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Final

from bot.evidence.transaction_log import record_type
from bot.table.checks._support.registry import CHECKS
from bot.table.judge import judge

_LATE: Final = (
    "bot.review.preload",
    "bot.evidence.claims.compare",
    "bot.evidence.console_log",
    "bot.evidence.folder",
    "bot.evidence.trackers",
    "bot.frameworks.open_instruct",
    "bot.frameworks.openrlhf",
    "bot.frameworks.trl.launches",
    "bot.memory.host",
    "bot.memory.report",
    "google.protobuf.message",
)
"""What readers import when they need it."""
_TABLE: Final = """\
.. list-table::
   :header-rows: 1

   * - Tag
     - Link
   * - MIN
     - `script <https://example.com>`_
"""

with suppress(Exception):
    for _name in _LATE:
        import_module(_name)
    record_type()
    CHECKS.selected()
    judge(_TABLE, "")
