from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from tests.table.checks.helpers import marked, page, quiet, row, section

SLUG = "table-form"


def test_stays_silent() -> None:
    assert quiet(SLUG, page(section(row())))


def test_tells(snapshot: SnapshotAssertion) -> None:
    broken = section(row()).replace("      - fsdp\n", "")
    assert marked(SLUG, page(broken)) == snapshot
