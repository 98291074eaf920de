from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "wide-rollout"
R = "actor_rollout_ref.rollout"
MIN = "# tag: MIN"
RECOMMENDED = "# tag: RECOMMENDED"
KEY = f"{R}.tensor_model_parallel_size"
LARGE = "actor_rollout_ref.model.path=Qwen/Qwen2.5-72B-Instruct"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=1"),
        verl(f"{KEY}=8", LARGE),
        verl(f"{KEY}=$TP"),
        verl(f"{KEY}=4", before=MIN),
        verl(f"{KEY}=4", "actor_rollout_ref.model.path=acme/unsized"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=4"),
        verl(f"{KEY}=2"),
        verl(f"{KEY}=16", "trainer.nnodes=2", LARGE),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
