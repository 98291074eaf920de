from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "async-trainer"
ROLLOUT = "actor_rollout_ref.rollout"
MINI = "actor_rollout_ref.actor.ppo_mini_batch_size"
MODE = "trainer.v1.trainer_mode=separate_async"
OWN = (MODE, f"{ROLLOUT}.nnodes=1", f"{ROLLOUT}.checkpoint_engine.backend=nccl")
FILTER = "algorithm.filter_groups.enable=True"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl("trainer.v1.trainer_mode=colocate_async"),
        verl(*OWN, "data.train_batch_size=1024", f"{MINI}=256"),
        verl(*OWN, "data.train_batch_size=$BATCH", f"{MINI}=64"),
        verl(
            *OWN,
            "trainer.v1.separate_async.parameter_sync_step=2",
            "data.train_batch_size=128",
            f"{MINI}=64",
        ),
        verl(MODE, "trainer.use_v1=False"),
        verl(MODE).replace("verl.trainer.main_ppo", "recipe.mine.main"),
        verl(FILTER),
        verl(FILTER, "algorithm.filter_groups.metric=acc", before="# verl: 0.9.0"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(MODE, "data.train_batch_size=1024", f"{MINI}=256"),
        verl(*OWN, "data.train_batch_size=512", f"{MINI}=256"),
        verl("trainer.v1.trainer_mode=$MODE", *OWN[1:], f"{MINI}=64", before="MODE=separate_async"),
        verl(FILTER, before="# verl: 0.9.0"),
    ],
)
def test_says_what_is_refused(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
