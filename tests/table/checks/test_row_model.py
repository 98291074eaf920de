from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.table.checks.helpers import PATH, marked, page, quiet, row, section

SLUG = "row-model"


@pytest.mark.parametrize(
    "cell", ["Qwen2.5-7B", "qwen2.5-7b", "Qwen2.5-7B-Instruct", "Qwen2.5 7B", "\\"]
)
def test_stays_silent(cell: str) -> None:
    assert quiet(SLUG, page(section(row(Model=cell))))


@pytest.mark.parametrize("cell", ["Qwen2-7B", "Qwen2.5-14B", "Llama-3.1-8B"])
def test_tells(cell: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row(Model=cell)))) == snapshot


def test_an_ending_with_a_date_is_the_same_model() -> None:
    scripts = {PATH: verl("actor_rollout_ref.model.path=Qwen/Qwen3-4B-Thinking-2507")}
    assert quiet(SLUG, page(section(row(Model="Qwen3-4B"))), scripts)


def test_a_path_that_names_no_model_is_not_checked(snapshot: SnapshotAssertion) -> None:
    scripts = {PATH: verl("actor_rollout_ref.model.path=model_path")}
    assert marked(SLUG, page(section(row())), scripts) == snapshot


def test_one_launch_that_agrees_is_enough() -> None:
    other = verl("actor_rollout_ref.model.path=Qwen/Qwen2.5-14B-Instruct")
    assert quiet(SLUG, page(section(row())), {PATH: other + verl()})
    assert not quiet(SLUG, page(section(row())), {PATH: other + other})
