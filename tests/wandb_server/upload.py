"""Putting runs on the stand-in the way their owners do: `wandb sync` of a folder."""

from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path

from tests.forked import call
from tests.runs.kept import kept, kept_run
from tests.runs.recipe import RunRecipe
from tests.wandb_server.server import KEY, Wandb
from tests.wandb_server.store import StoredRun

_UPLOAD = "run.pickle"


def kept_upload(recipe: RunRecipe) -> StoredRun:
    """What W&B holds of a recipe's run after `wandb sync`: made once and kept."""

    def make(folder: Path) -> None:
        with Wandb().serving() as server:
            (folder / _UPLOAD).write_bytes(pickle.dumps(sync(server, kept_run(recipe))))

    folder = kept("upload", recipe.to_json(), ("runs", "wandb_server"), make)
    stored = pickle.loads((folder / _UPLOAD).read_bytes())  # noqa: S301  (this very code wrote it)
    assert isinstance(stored, StoredRun)
    return stored


def sync(server: Wandb, folder: Path) -> StoredRun:
    """Upload the one run of `folder` with the SDK's own command; raises CalledProcessError.

    On a machine that does much besides, the command gives up on its own service and says so with
    status 0: it is asked a second time.
    """
    said = _sync(server, folder)
    if not server.store.runs:
        said += _sync(server, folder)
    assert server.store.runs, f"nothing was uploaded:\n{said}"
    (run,) = server.store.runs.values()
    return run


def _sync(server: Wandb, folder: Path) -> str:
    with tempfile.TemporaryDirectory() as home:
        return call(
            "wandb.cli.cli:cli",
            ["sync", "--include-synced", str(folder)],
            environment={
                "PATH": os.environ["PATH"],
                "HOME": home,
                "WANDB_BASE_URL": server.url,
                "WANDB_API_KEY": KEY,
                "WANDB_ERROR_REPORTING": "false",
                "WANDB_CACHE_DIR": home,
                "WANDB_CONFIG_DIR": home,
                "WANDB_DATA_DIR": home,
            },
            folder=Path(home),
        )
