from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "lora-rank-limit"
RANK = "actor_rollout_ref.model.lora_rank"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{RANK}=512"),
        verl(f"{RANK}=$rank"),
        verl(f"{RANK}=1024", "actor_rollout_ref.rollout.name=sglang"),
        verl(f"{RANK}=1024", before="# verl: 0.6.0"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{RANK}=1024"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
