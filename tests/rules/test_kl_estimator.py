from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "kl-estimator"
LOSS = "actor_rollout_ref.actor.use_kl_loss=True"
TYPE = "actor_rollout_ref.actor.kl_loss_type"
REWARD = "algorithm.use_kl_in_reward=True"
PENALTY = "algorithm.kl_penalty"
RECIPE = "recipe.mine.main"


@pytest.mark.parametrize(
    "script",
    [
        verl(LOSS),
        verl(LOSS, f"{TYPE}=k3"),
        verl(LOSS, f"{TYPE}=k3+"),
        verl(LOSS, f"{TYPE}=low_var_kl+", before="# verl: 0.8.0"),
        verl(LOSS, f"{TYPE}=$KIND"),
        verl(f"{TYPE}=low_var_k1"),
        verl("actor_rollout_ref.actor.use_kl_loss=$KL", f"{TYPE}=low_var_k1"),
        verl(f"{PENALTY}=k9"),
        verl(REWARD, f"{PENALTY}=kl"),
        verl(LOSS, f"{PENALTY}=k9", before="# verl: 0.3.0.post1"),
        verl(LOSS, f"{TYPE}=jsd").replace("verl.trainer.main_ppo", RECIPE),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(LOSS, f"{TYPE}=low_var_k1"),
        verl(LOSS, f"{TYPE}=reverse"),
        verl(LOSS, f"{TYPE}=full"),
        verl(LOSS, f"{TYPE}=k3", before="# verl: 0.3.0.post1"),
        verl(LOSS, f"{TYPE}=k3+", before="# verl: 0.7.1"),
        verl(REWARD, f"{PENALTY}=$KIND", before="KIND=K1"),
        verl(f"{PENALTY}=k9", before="# verl: 0.3.0.post1"),
        verl(LOSS, f"{TYPE}=low_var").replace("verl.trainer.main_ppo", RECIPE),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
