from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "bad-override"


@pytest.mark.parametrize(
    "script",
    [
        verl('trainer.logger=\'["console","wandb"]\''),
        verl("data.train_files=\"['$HOME/a.parquet']\""),
        verl("data.train_files=$(ls)"),
        verl("$EXTRA"),
        verl(end=' "$@"'),
        verl("trainer.experiment_name=a-b_c.d"),
        verl("trainer.experiment_name="),
        verl("trainer.experiment_name=$(date +%F)-x"),
        verl("--config-name=ppo_megatron_trainer.yaml"),
        verl("actor_rollout_ref.rollout.val_kwargs='{temperature: 1.0}'"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "word",
    [
        "trainer.experiment_name=7b,h100)",
        "trainer.nnodes",
        "trainer.experiment_name=a,b",
        "trainer.logger=[console,wandb",
    ],
)
def test_what_cannot_be_parsed(word: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"'{word}'")) == snapshot
