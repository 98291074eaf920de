from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "critic-batch-size"
PPO = ("algorithm.adv_estimator=gae", "data.train_batch_size=256", "critic.use_dynamic_bsz=False")
MINI, MICRO = "critic.ppo_mini_batch_size", "critic.ppo_micro_batch_size"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{MICRO}=3", f"{MINI}=64", "critic.use_dynamic_bsz=False"),  # GRPO has no critic
        verl(*PPO, f"{MICRO}_per_gpu=4"),
        verl(*PPO, f"{MICRO}=$SIZE"),
        verl(*PPO, "critic.enable=False"),
        verl("algorithm.adv_estimator=gae", "critic.use_dynamic_bsz=True"),
        verl("algorithm.adv_estimator=$ALGORITHM", "critic.use_dynamic_bsz=False"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(*PPO),
        verl(*PPO, f"{MICRO}=8", f"{MICRO}_per_gpu=4"),
        verl(*PPO, f"{MICRO}_per_gpu=4", f"{MINI}=512"),
        verl(*PPO, f"{MICRO}=24", f"{MINI}=64", before="# verl: 0.4.1"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
