from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.table.checks.helpers import PATH, marked, page, quiet, row, section

SLUG = "row-train"


@pytest.mark.parametrize("cell", ["fsdp", "FSDP", "fsdp1", "\\"])
def test_stays_silent(cell: str) -> None:
    assert quiet(SLUG, page(section(row(Train=cell))))


@pytest.mark.parametrize("cell", ["megatron", "deepspeed", "fsdp2"])
def test_tells(cell: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row(Train=cell)))) == snapshot


def test_fsdp_stands_for_both() -> None:
    scripts = {PATH: verl("actor_rollout_ref.actor.strategy=fsdp2")}
    assert quiet(SLUG, page(section(row())), scripts)
