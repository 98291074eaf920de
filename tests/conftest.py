"""Runs written by the real SDK, each once in a session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, settings

from tests.runs.recipe import RunRecipe
from tests.runs.writer import write_run

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
            folders[key] = write_run(tmp_path_factory.mktemp("run"), recipe)
        return folders[key]

    return folder
