from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "dynamic-batch-flags"
TRAIN = "actor_rollout_ref.actor.use_dynamic_bsz"
INFER = "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{TRAIN}=True"),
        verl(f"{TRAIN}=False"),
        verl(f"{TRAIN}=True", f"{INFER}=True"),
        verl(f"{TRAIN}=True", f"{INFER}=$FLAG"),
        verl(f"{TRAIN}=$FLAG", f"{INFER}=True"),
        verl(f"{TRAIN}=True", f"{INFER}=False", before="# verl: 0.7.1"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{TRAIN}=True", f"{INFER}=False"),
        verl(f"{TRAIN}=False", f"{INFER}=$d", before="d=True"),
    ],
)
def test_names_both_flags(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
