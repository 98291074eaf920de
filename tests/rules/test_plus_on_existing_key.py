from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "plus-on-existing-key"


@pytest.mark.parametrize(
    "script",
    [
        verl("trainer.nnodes=1"),
        verl("++trainer.nnodes=1"),
        verl("+trainer.my_own=1"),
        verl("+data.val_batch_size=64"),  # null by default, which + may set
        verl("+trainer.my_own=null", "+trainer.my_own=1"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


def test_a_key_of_the_release(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl("+trainer.nnodes=1")) == snapshot


def test_a_key_that_the_script_added(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl("+trainer.my_own=1", "+trainer.my_own=2")) == snapshot


def test_a_key_in_quotes(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl("'+trainer.nnodes=1'")) == snapshot
