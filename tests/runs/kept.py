"""What the SDK wrote, made once and kept on disk: writing a run takes seconds, copying it none.

A thing is kept by the digest of what it is made from and of the code that makes it, below
`build/runs` of the checkout, or where RLBOT_KEPT_RUNS says. `make clean` removes it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path

from tests.runs.recipe import RunRecipe
from tests.runs.writer import write_run

_TESTS = Path(__file__).resolve().parents[1]
_DONE = ".done"


def kept_run(recipe: RunRecipe) -> Path:
    """The folder of a recipe's run, to be copied and never changed."""
    place = kept("run", recipe.to_json(), ("runs",), lambda folder: write_run(folder, recipe))
    (run,) = (place / "wandb").glob("offline-run-*")
    return run


def kept(kind: str, source: str, packages: tuple[str, ...], make: Callable[[Path], object]) -> Path:
    """The folder that `make` fills from `source` with the code of `packages` below tests/.

    Of several processes that ask for it at once, one makes it and the others wait.
    """
    made_from = "\0".join((source, version("wandb"), *map(_code, packages)))
    root = Path(os.environ.get("RLBOT_KEPT_RUNS") or _TESTS.parent / "build" / "runs")
    root.mkdir(parents=True, exist_ok=True)
    name = f"{kind}-{hashlib.sha256(made_from.encode()).hexdigest()[:24]}"
    folder = root / name
    if (folder / _DONE).exists():
        return folder
    with (root / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / _DONE).exists():
            # Nothing, or what a process that was stopped left half made.
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            (folder / _DONE).touch()
    return folder


@cache
def _code(package: str) -> str:
    digest = hashlib.sha256()
    for path in sorted((_TESTS / package).glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
