from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "batched-tokens"
R = "actor_rollout_ref.rollout"
MIN = "# tag: MIN"
RECOMMENDED = "# tag: RECOMMENDED"
KEY = f"{R}.max_num_batched_tokens"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(f"{KEY}=4096"),
        verl(f"{KEY}=$TOKENS"),
        verl(f"{KEY}=1024", before=MIN),
        verl(f"{KEY}=1024", f"{R}.name=sglang"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=2048"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
