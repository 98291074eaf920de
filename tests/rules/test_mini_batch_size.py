from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "mini-batch-size"
OFF = "actor_rollout_ref.actor.use_dynamic_bsz=False"
MINI = "actor_rollout_ref.actor.ppo_mini_batch_size"


@pytest.mark.parametrize(
    "script",
    [
        verl(OFF, "data.train_batch_size=256", f"{MINI}=256"),
        verl(OFF, "data.train_batch_size=$B", f"{MINI}=256"),
        verl(OFF, "data.train_batch_size=128", f"{MINI}=$M"),
        verl("data.train_batch_size=128", f"{MINI}=256"),  # sized by tokens
        verl(OFF, "data.train_batch_size=128", f"{MINI}=256", before="# verl: 0.2"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(OFF, "data.train_batch_size=128", f"{MINI}=256"),
        verl(OFF, "data.train_batch_size=128"),
        verl(OFF, "data.train_batch_size=128", f"{MINI}=$m", before="m=129"),
    ],
)
def test_quotes_both(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
