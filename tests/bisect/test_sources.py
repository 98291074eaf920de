"""Runs by link, by folder and by console log, in one command: each says what it would alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bisect.samples import OOM, PATH, VARIABLES, run_of
from tests.command import Result, rlbot
from tests.conftest import WrittenRun
from tests.runs.console import verl_log
from tests.runs.recipe import RunRecipe
from tests.wandb_server.server import Wandb
from tests.wandb_server.upload import sync

FITS = {44: True, 58: True, 59: False, 72: False}
"""Each value, and whether it runs."""


def _recipe(value: int) -> RunRecipe:
    return run_of(VARIABLES.replace("=58", f"={value}"), fits=FITS[value], run_id=f"batch{value}")


@pytest.fixture(scope="module")
def server(written: WrittenRun) -> Iterator[Wandb]:
    """A W&B that holds a run of each value, put there by the real SDK."""
    stored = []
    for value in FITS:
        with Wandb().serving() as one:
            stored.append(sync(one, written(_recipe(value))))
    with Wandb().serving() as made:
        for run in stored:
            made.store.add(run)
        yield made


@pytest.fixture
def home(tmp_path: Path) -> Path:
    file = tmp_path / PATH
    file.parent.mkdir(parents=True)
    file.write_text(VARIABLES, encoding="utf-8")
    return tmp_path


def _log(home: Path, value: int) -> Path:
    """What the terminal showed of a run."""
    text = verl_log(_recipe(value))
    file = home / f"train-{value}.log"
    file.write_text(text if FITS[value] else f"{text}{OOM}\n", encoding="utf-8")
    return file


def _read(home: Path, server: Wandb, *runs: str | Path) -> Result:
    place = {"WANDB_BASE_URL": server.url}
    return rlbot("bisect", "read", PATH, *runs, cwd=home, environment=place)


def test_links_bracket_the_largest_batch(home: Path, server: Wandb) -> None:
    done = _read(home, server, *(server.link(f"batch{value}") for value in FITS))
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("MaxBatch 116: nproc_per_gpu=58 ran, nproc_per_gpu=59 ran out")
    assert "Trial log: # 44√ → 58√ → 59× → 72×" in done.out


def test_console_logs_bracket_the_largest_batch(home: Path, server: Wandb) -> None:
    asked = len(server.requests)
    done = _read(home, server, *(_log(home, value) for value in FITS))
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("MaxBatch 116: nproc_per_gpu=58 ran, nproc_per_gpu=59 ran out")
    assert len(server.requests) == asked


def test_a_folder_a_log_and_a_link_are_read_in_one_command(
    home: Path, server: Wandb, written: WrittenRun
) -> None:
    runs = (written(_recipe(44)), _log(home, 59), server.link("batch58"))
    done = _read(home, server, *runs)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("MaxBatch 116: nproc_per_gpu=58 ran, nproc_per_gpu=59 ran out")
    for run in runs:
        assert f"  {run} " in done.out


def test_offline_says_which_run_was_not_read(home: Path, server: Wandb) -> None:
    link = server.link("batch58")
    done = _read(home, server, link, "--offline")
    assert done.status == 3
    (line,) = (line for line in done.out.splitlines() if link in line)
    assert "leave --offline out" in line
