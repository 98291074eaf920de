from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.table.checks.helpers import BLOB, NAME, PATH, marked, page, quiet, row, section

SLUG = "link-text"


@pytest.mark.parametrize(
    "text", [NAME, NAME.removesuffix(".sh"), NAME.replace("_", "-"), "script", "here"]
)
def test_stays_silent(text: str) -> None:
    assert quiet(SLUG, page(section(row(Link=f"`{text} <{BLOB}/main/{PATH}>`_"))))


def test_tells(snapshot: SnapshotAssertion) -> None:
    text = NAME.replace("8_h100", "4_h100")
    assert marked(SLUG, page(section(row(Link=f"`{text} <{BLOB}/main/{PATH}>`_")))) == snapshot
