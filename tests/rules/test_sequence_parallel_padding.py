from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "sequence-parallel-padding"
SP = "actor_rollout_ref.actor.ulysses_sequence_parallel_size"
PADDING = "actor_rollout_ref.model.use_remove_padding"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{SP}=1", f"{PADDING}=False"),
        verl(f"{SP}=2", f"{PADDING}=True"),
        verl(f"{SP}=2"),  # on by default in the newest release
        verl(f"{SP}=$SP", f"{PADDING}=False"),
        verl(f"{SP}=2", f"{PADDING}=$P"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{SP}=2", f"{PADDING}=False"),
        verl(f"{SP}=$sp", before="# verl: 0.4.1\nsp=4"),
    ],
)
def test_names_both_settings(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
