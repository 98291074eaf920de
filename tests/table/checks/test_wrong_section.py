from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.table.checks.helpers import marked, page, quiet, row, section

SLUG = "wrong-section"


def test_stays_silent() -> None:
    assert quiet(SLUG, page(section(row())))
    assert quiet(SLUG, page(section(row(Model="Qwen2.5-72B"), size="70B")))
    assert quiet(SLUG, page(section(row(Model="\\"), size="70B")))


@pytest.mark.parametrize("other", [section(size="14B"), ""])
def test_tells(other: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row(Model="Qwen2.5-14B")), other)) == snapshot
