"""What `rlbot estimate --format json` prints of a launch."""

from __future__ import annotations

import atexit
import json
import os
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from tests.command import Result, rlbot


def printed(launch: str, *options: str) -> dict[str, Any]:
    """The estimate of a launch written as a script."""
    arguments = ("estimate", "-", "--format", "json", "--stdin-filename", "x.sh", *options)
    return _made(rlbot(*arguments, cwd=_nowhere(), stdin=f"{launch}\n".encode()))


class NothingPrintedError(AssertionError):
    """No estimate, but a sentence on the error stream: nothing that is known is started."""


def _made(result: Result) -> dict[str, Any]:
    if not result.out:
        raise NothingPrintedError(result.err)
    made: dict[str, Any] = json.loads(result.out)["scripts"][0]["estimate"]
    assert made, result.out
    return made


def printed_program(path: Path, *options: str) -> dict[str, Any]:
    """The estimate of the program `path`.txt, or of what starts it in the folder `path`."""
    return _made(of_program("estimate", path, *options))


def of_program(command: str, path: Path, *options: str) -> Result:
    """What a command prints of the program `path`.txt, or of `run.sh` in the folder `path`.

    Programs have the ending of plain text where they are stored, as nothing checks their style.
    """
    sources = [*path.iterdir()] if path.is_dir() else [path.with_name(f"{path.name}.txt")]
    with TemporaryDirectory() as folder:
        for one in sources:
            name = one.with_suffix(".py").name if path.is_dir() else "train.py"
            shutil.copy(one, Path(folder, one.name if one.suffix == ".sh" else name))
        started = "run.sh" if path.is_dir() else "train.py"
        asked = (command, started, "--root", ".", "--format", "json", *options)
        return rlbot(*asked, cwd=Path(folder))


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
