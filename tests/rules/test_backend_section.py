from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "backend-section"
MEGATRON = "actor_rollout_ref.actor.strategy=megatron"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl("actor_rollout_ref.actor.strategy=fsdp2"),
        verl("model_engine=megatron", MEGATRON),
        verl("model_engine=$ENGINE", MEGATRON),
        verl("actor_rollout_ref.actor.strategy=$BACKEND"),
        verl("actor@actor_rollout_ref.actor=megatron_actor", MEGATRON),
        verl("--config-name=ppo_megatron_trainer.yaml", MEGATRON, before="# verl: 0.6.1"),
        verl("--config-name=ppo_megatron_trainer.yaml", MEGATRON, before="# verl: 0.3.0.post1"),
        verl("+actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2", MEGATRON),
        verl(MEGATRON).replace("verl.trainer.main_ppo", "recipe.mine.main"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(MEGATRON),
        verl(MEGATRON, before="# verl: 0.4.1"),
        verl(MEGATRON, before="# verl: 0.6.1"),
        verl("actor_rollout_ref.actor.strategy=$BACKEND", before="BACKEND=veomni"),
        verl("actor_rollout_ref.actor.strategy=torchtitan", before="# verl: 0.7.0"),
    ],
)
def test_says_what_is_missing(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
