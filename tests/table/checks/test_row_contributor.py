from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.table.checks.helpers import PATH, marked, page, quiet, row, section

SLUG = "row-contributor"


STATED = "# contributor: ada"


def test_stays_silent() -> None:
    assert quiet(SLUG, page(section(row())))
    assert quiet(SLUG, page(section(row())), {PATH: verl(before=STATED)})
    named = {PATH: verl(before="# contributor: Ada Lovelace <ada@example.org>")}
    cell = "`Ada Lovelace <ada@example.org>`_"
    assert quiet(SLUG, page(section(row(Contributor=cell))), named)


@pytest.mark.parametrize("cell", ["\\", "`bob <https://github.com/bob>`_"])
def test_tells(cell: str, snapshot: SnapshotAssertion) -> None:
    scripts = {PATH: verl(before=STATED)}
    assert marked(SLUG, page(section(row(Contributor=cell))), scripts) == snapshot
