from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "padding-kept"
KEY = "actor_rollout_ref.model.use_remove_padding"


@pytest.mark.parametrize(
    "script",
    [
        verl(),  # on by default
        verl(f"{KEY}=True"),
        verl(f"{KEY}=$PADDING"),
        verl(f"{KEY}=False", "actor_rollout_ref.model.path=acme/other-7b"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=False"),
        verl(before="# verl: 0.6.1"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
