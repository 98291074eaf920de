"""Runs written by the real SDK, each once in a session."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from bot.evidence import Facts, read
from tests.conftest import WrittenRun
from tests.evidence.samples import MATCHING
from tests.runs.recipe import RunRecipe

ReadRun: TypeAlias = Callable[[RunRecipe], Facts]


@pytest.fixture(scope="session")
def facts_of(written: WrittenRun) -> ReadRun:
    """The facts of a recipe's run."""
    return lambda recipe: read(written(recipe))


@pytest.fixture
def own_run(written: WrittenRun, tmp_path: Path) -> Path:
    """A copy of the matching run that a test may change."""
    source = written(MATCHING)
    target = tmp_path / "wandb" / "offline-run-20260101_000000-abc123"
    shutil.copytree(source, target, symlinks=True)
    return target
