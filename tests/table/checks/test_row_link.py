from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.table.checks.helpers import PATH, link, marked, page, quiet, row, section

SLUG = "row-link"


def test_stays_silent() -> None:
    assert quiet(SLUG, page(section(row())))
    assert quiet(SLUG, page(section(row(Link=f"../../{PATH}"))))


@pytest.mark.parametrize("cell", ["\\", "soon", link("README.md")])
def test_tells(cell: str, snapshot: SnapshotAssertion) -> None:
    scripts = {PATH: "true\n", "README.md": "#"}
    assert marked(SLUG, page(section(row(Link=cell))), scripts) == snapshot


def test_a_script_that_starts_nothing_known(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row())), {PATH: "true\n"}) == snapshot
