from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.table.checks.helpers import PATH, link, page, quiet, row, section, told

SLUG = "row-link"


def test_stays_silent() -> None:
    assert quiet(SLUG, page(section(row())))
    assert quiet(SLUG, page(section(row(Link=f"../../{PATH}"))))


@pytest.mark.parametrize("cell", ["\\", "soon", link("README.md")])
def test_tells(cell: str, snapshot: SnapshotAssertion) -> None:
    scripts = {PATH: "true\n", "README.md": "#"}
    assert told(SLUG, page(section(row(Link=cell))), scripts) == snapshot


def test_a_script_that_starts_nothing_known(snapshot: SnapshotAssertion) -> None:
    assert told(SLUG, page(section(row())), {PATH: "true\n"}) == snapshot
