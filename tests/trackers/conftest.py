"""The launch that the trackers' own SDKs logged, and the demo's script that it backs."""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.trackers.record import ARCHIVE, LAUNCH, digest

Recorded: TypeAlias = Callable[[str], Path]
PLACES = {
    "TensorBoard": "main/tensorboard_log",
    "verl's file logger": "main/rlbot-tuning",
    "SwanLab 0.10": "main/swanlog",
    "SwanLab 0.7": "old/swanlog",
    "trackio": "main/trackio",
    "MLflow database": "main/mlruns.db",
    "MLflow folder": "store/mlruns",
}
"""Source to the place of its files."""


@pytest.fixture(scope="session")
def launch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the records: those of the repository, or new ones of `make trackers`."""
    given = os.environ.get("RLBOT_TRACKERS")
    folder = tmp_path_factory.mktemp("launch")
    if given:
        shutil.copytree(given, folder, dirs_exist_ok=True)
    else:
        with tarfile.open(fileobj=io.BytesIO(ARCHIVE.read_bytes())) as archive:
            # Python 3.11.2 has no filters; the archive is our own.
            safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            archive.extractall(folder, **safe)  # type: ignore[arg-type]  # noqa: S202
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    assert about["recipe"] == digest(LAUNCH), "recorded from another recipe: record it anew"
    return folder


@pytest.fixture
def recorded(launch: Path, tmp_path: Path) -> Recorded:
    """A copy of one source's files, which a test may change."""

    def copied(source: str) -> Path:
        place = launch / PLACES[source]
        to = tmp_path / source.replace(" ", "-") / place.name
        to.parent.mkdir()
        if place.is_dir():
            shutil.copytree(place, to)
        else:
            shutil.copy(place, to)
        return to

    return copied
