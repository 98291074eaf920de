from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.table.checks.helpers import PATH, marked, page, quiet, row, section

SLUG = "row-trials"


LOG = "# 32√ → 64× → 48× → 40√ → 44√ → 46× → 45×"


def script(used: int, log: str = LOG) -> dict[str, str]:
    before = f"per_gpu={used} {log}\ntotal=$(( per_gpu * 8 ))"
    return {PATH: verl("data.train_batch_size=$total", before=before)}


@pytest.mark.parametrize("scripts", [script(44), script(45, ""), script(50)])
def test_stays_silent(scripts: dict[str, str]) -> None:
    assert quiet(SLUG, page(section(row())), scripts)


def test_a_row_without_a_batch() -> None:
    assert quiet(SLUG, page(section(row(MaxBatch="\\"))), script(45))


@pytest.mark.parametrize("used", [45, 32])
def test_tells(used: int, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row(MaxBatch=str(used * 8)))), script(used)) == snapshot
