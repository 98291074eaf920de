from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.table.checks.helpers import PATH, marked, page, quiet, row, section

SLUG = "row-batch"


@pytest.mark.parametrize("cell", ["1024", "1,024", "\\"])
def test_stays_silent(cell: str) -> None:
    assert quiet(SLUG, page(section(row(MaxBatch=cell))))


@pytest.mark.parametrize("cell", ["116", "about 1000"])
def test_tells(cell: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row(MaxBatch=cell)))) == snapshot


def test_a_value_that_comes_through_arithmetic(snapshot: SnapshotAssertion) -> None:
    script = verl("data.train_batch_size=$total", before="per_gpu=22\ntotal=$(( per_gpu * 8 ))")
    assert quiet(SLUG, page(section(row(MaxBatch="176"))), {PATH: script})
    assert marked(SLUG, page(section(row(MaxBatch="180"))), {PATH: script}) == snapshot


def test_a_batch_that_cannot_be_known(snapshot: SnapshotAssertion) -> None:
    scripts = {PATH: verl("data.train_batch_size=$(nproc)")}
    assert marked(SLUG, page(section(row())), scripts) == snapshot
