from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from tests.table.checks.helpers import marked, page, quiet, row, section

SLUG = "section-order"


def test_stays_silent() -> None:
    assert quiet(SLUG, page(section(size="0.5B"), section(row()), section(size="70B")))


def test_tells(snapshot: SnapshotAssertion) -> None:
    text = page(section(size="14B"), section(row()), section(size="32B"), section(size="7B"))
    assert marked(SLUG, text) == snapshot
