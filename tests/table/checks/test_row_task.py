from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.table.checks.helpers import PATH, marked, page, quiet, row, section

SLUG = "row-task"


@pytest.mark.parametrize("cell", ["GRPO", "grpo", "DAPO", "\\"])
def test_stays_silent(cell: str) -> None:
    assert quiet(SLUG, page(section(row(Task=cell))))


@pytest.mark.parametrize("cell", ["PPO", "GRPO-LoRA", "RLOO"])
def test_tells(cell: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row(Task=cell)))) == snapshot


def test_an_adapter(snapshot: SnapshotAssertion) -> None:
    scripts = {PATH: verl("actor_rollout_ref.model.lora_rank=32")}
    assert quiet(SLUG, page(section(row(Task="GRPO-LoRA"))), scripts)
    assert quiet(SLUG, page(section(row(Task="GRPO + LoRA"))), scripts)
    assert marked(SLUG, page(section(row(Task="GRPO"))), scripts) == snapshot
