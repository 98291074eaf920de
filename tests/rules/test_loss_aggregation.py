from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "loss-aggregation"
KEY = "actor_rollout_ref.actor.loss_agg_mode"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(f"{KEY}=seq-mean-token-sum-norm"),
        verl(f"{KEY}=token-sum"),
        verl(f"{KEY}=$mode"),
        verl(f"{KEY}=other", before="# verl: 0.3.0"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=seq-mean"),
        verl(f"{KEY}=$mode", before="mode=mean"),
        verl(f"{KEY}=token_mean", before="# verl: 0.4.1"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
