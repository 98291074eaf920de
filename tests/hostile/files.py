"""The files that hostile texts stand for, without the texts: making those takes seconds."""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from pathlib import Path
from typing import Final

from google.protobuf import json_format

from bot.evidence.trackers.manifest import chained
from bot.evidence.transaction_log import IDENT, record_type
from tests.evidence.test_transaction_log import framed
from tests.trackers.writers import swanlab_log, tfrecords

RAW: Final = "raw:"
_INSTRUCTIONS: Final = 3_000_000

MLFLOW_RUN: Final = "a" * 32
"""The run that is asked of an MLflow server."""
RUN_SCRIPT: Final = "run.sh"
"""Ends the path of the script among the files of a repository."""


def transaction_log(text: str) -> bytes:
    """The log of W&B that a text stands for."""
    if text.startswith(IDENT.decode()):
        return text.encode("latin-1", "replace")
    return framed(_payload(line) for line in text.split("\n") if line)


@lru_cache(maxsize=4)  # Texts repeat a line ten thousand times.
def _payload(line: str) -> bytes:
    try:
        made = json_format.Parse(line, record_type()(), max_recursion_depth=50)
    except (json_format.ParseError, RecursionError, ValueError, TypeError):
        return line.encode("latin-1", "replace")
    data: bytes = made.SerializeToString()
    return data


def _bytes(text: str) -> bytes:
    return text.encode("latin-1", "replace")


def event_file(text: str) -> bytes:
    """An event file: a record for each line, or the bytes after `raw:`."""
    if text.startswith(RAW):
        return _bytes(text.removeprefix(RAW))
    return tfrecords(_bytes(line) for line in text.split("\n"))


def swanlab_file(text: str) -> bytes:
    """A log of SwanLab: its version, then a record for each line; or the bytes after `raw:`."""
    if text.startswith(RAW):
        return _bytes(text.removeprefix(RAW))
    version, _, lines = text.partition("\n")
    number = int(version) if version in ("0", "1", "2") else 3
    return swanlab_log(number, (_bytes(line) for line in lines.split("\n")))


def database_file(text: str, path: Path) -> None:
    """Make the database that a script of SQL makes, as far as it can; `raw:` as above."""
    if text.startswith(RAW):
        path.write_bytes(_bytes(text.removeprefix(RAW)))
        return
    left = [_INSTRUCTIONS // 1000]

    def count() -> int:
        left[0] -= 1
        return left[0] < 0

    database = sqlite3.connect(path)
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1 << 22)
    database.set_progress_handler(count, 1000)
    try:
        database.executescript(text)
        database.commit()
    except (sqlite3.Error, ValueError):
        pass
    finally:
        database.close()


def manifest_file(text: str) -> bytes:
    """A manifest of `rlbot record` whose chain is whole: a record for each line."""
    if text.startswith(RAW):
        return _bytes(text.removeprefix(RAW))
    lines, before = [], b""
    for body in text.split("\n"):
        line, before = chained(before, body.encode("utf-8", "replace"))
        lines.append(line)
    return b"".join(lines)
