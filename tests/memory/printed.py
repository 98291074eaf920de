"""What `rlbot estimate --format json` prints of a launch."""

from __future__ import annotations

import atexit
import json
import os
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.command import rlbot


def printed(launch: str, *options: str) -> dict[str, Any]:
    """The estimate of a launch written as a script."""
    arguments = ("estimate", "-", "--format", "json", "--stdin-filename", "x.sh", *options)
    result = rlbot(*arguments, cwd=_nowhere(), stdin=f"{launch}\n".encode())
    assert result.out, result.err
    made: dict[str, Any] = json.loads(result.out)["scripts"][0]["estimate"]
    assert made, result.out
    return made


def stage(made: dict[str, Any], name: str, pool: str | None = None) -> dict[str, Any]:
    """One stage of it."""
    (found,) = (s for s in made["stages"] if s["stage"] == name and pool in (None, s["pool"]))
    assert isinstance(found, dict)
    return found


def component(made: dict[str, Any], of: str, name: str) -> float:
    """GiB that the expected level of a stage has of one thing."""
    return float(stage(made, of)["components"].get(name, 0.0))


@cache
def _nowhere() -> Path:
    """An empty folder: in a repository each command would look through its files."""
    folder, owner = Path(mkdtemp()), os.getpid()

    def remove() -> None:
        # A process that a test forks ends with what was to be done here.
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
