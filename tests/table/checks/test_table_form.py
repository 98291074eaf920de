from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from tests.table.checks.helpers import page, quiet, row, section, told

SLUG = "table-form"


def test_stays_silent() -> None:
    assert quiet(SLUG, page(section(row())))


def test_tells(snapshot: SnapshotAssertion) -> None:
    broken = section(row()).replace("      - fsdp\n", "")
    assert told(SLUG, page(broken)) == snapshot
