"""Runs written by the real SDK, made once and kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, settings

from tests.runs.kept import kept_run
from tests.runs.recipe import RunRecipe

# A busy machine is no fault of an example.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

WrittenRun: TypeAlias = Callable[[RunRecipe], Path]


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> WrittenRun:
    """The folder of a recipe's run; it is shared, so a test copies what it changes."""
    folders: dict[str, Path] = {}

    def folder(recipe: RunRecipe) -> Path:
        key = recipe.to_json()
        if key not in folders:
            source = kept_run(recipe)
            folders[key] = tmp_path_factory.mktemp("run") / "wandb" / source.name
            shutil.copytree(source, folders[key], symlinks=True)
        return folders[key]

    return folder
