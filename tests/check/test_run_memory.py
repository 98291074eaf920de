"""A run's memory against the model and the tag, as `verify` says it in every form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import rlbot
from tests.commands.test_cli import RECIPE
from tests.commands.test_run_page import PATH, folder
from tests.conftest import WrittenRun
from tests.runs.recipe import RunRecipe

__all__ = ["folder"]

BELOW_FLOOR = "the estimate or the evidence is wrong, which a person should look at"
LESS = "half the GPUs, or cards of half the memory, would do"
LOW = RECIPE.but(peak_gib=30.0, system_gib=25.0, allocator_gib=24.0)


def _outputs(folder: Path, run: Path) -> list[str]:
    """What the terminal, the comment and the page of the run say."""
    text = rlbot("verify", PATH, "--run", run, "--verbose", cwd=folder)
    comment = rlbot("verify", PATH, "--run", run, "--format", "markdown", cwd=folder)
    rlbot("verify", PATH, "--run", run, "--report", "out.html", cwd=folder)
    page = (folder / "out.html").read_text(encoding="utf-8")
    return [" ".join(each.split()) for each in (text.out, comment.out, page)]


def test_a_peak_below_the_floor_is_for_a_person(folder: Path, written: WrittenRun) -> None:
    for form in _outputs(folder, written(LOW)):
        assert BELOW_FLOOR in form
        assert LESS not in form  # What is wrong comes before what follows from it.


@pytest.mark.parametrize("peak", [71.2, 76.9])
def test_a_run_that_took_the_card_says_nothing_of_the_kind(
    folder: Path, written: WrittenRun, peak: float
) -> None:
    for form in _outputs(folder, written(RECIPE.but(peak_gib=peak))):
        assert BELOW_FLOOR not in form
        assert LESS not in form


def test_a_small_model_does_not_need_the_card(folder: Path, written: WrittenRun) -> None:
    file = folder / PATH
    engine = "actor_rollout_ref.rollout.gpu_memory_utilization=0.3"
    small = file.read_text().replace("Qwen2.5-7B", "Qwen2.5-0.5B")
    file.write_text(small.replace("rollout.n=5 \\", f"rollout.n=5 {engine} \\"))
    text = LOW.to_json().replace("Qwen2.5-7B", "Qwen2.5-0.5B")
    run = RunRecipe.from_json(text)
    rollout = {**run.config["actor_rollout_ref"]["rollout"], "gpu_memory_utilization": 0.3}
    actor = {**run.config["actor_rollout_ref"], "rollout": rollout}
    run = run.but(config={**run.config, "actor_rollout_ref": actor})
    for form in _outputs(folder, written(run)):
        assert LESS in form
