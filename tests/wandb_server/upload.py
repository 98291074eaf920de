"""Putting runs on the stand-in the way their owners do: `wandb sync` of a folder."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.wandb_server.server import KEY, Wandb
from tests.wandb_server.store import StoredRun


def sync(server: Wandb, folder: Path) -> StoredRun:
    """Upload the one run of `folder` with the SDK's own command; raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as home:
        subprocess.run(
            [sys.executable, "-m", "wandb", "sync", str(folder)],
            env={
                "PATH": os.environ["PATH"],
                "HOME": home,
                "WANDB_BASE_URL": server.url,
                "WANDB_API_KEY": KEY,
                "WANDB_ERROR_REPORTING": "false",
                "WANDB_CACHE_DIR": home,
                "WANDB_CONFIG_DIR": home,
                "WANDB_DATA_DIR": home,
            },
            cwd=home,
            check=True,
            capture_output=True,
            timeout=120,
        )
    (run,) = server.store.runs.values()
    return run
