from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "deprecated-key"
SP = "actor_rollout_ref.actor.ulysses_sequence_parallel_size"
MICRO = "actor_rollout_ref.actor.ppo_micro_batch_size"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(f"{MICRO}_per_gpu=8"),
        verl("'~data.val_batch_size'"),
        verl("trainer.val_batch_size=8"),
        verl("data.val_batch_size=8", "+env.env_name=alfworld"),  # CazeroZ/hgpo
        verl(f"{SP}=2", before="# verl: 0.4.1"),
        verl(f"{MICRO}=null"),  # 065536/Asycn_verl
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


def test_a_setting_without_effect(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl("data.val_batch_size=1312")) == snapshot


def test_a_size_over_all_gpus_becomes_one_per_gpu(snapshot: SnapshotAssertion) -> None:
    script = verl(f"{MICRO}=${{mini}}", "trainer.n_gpus_per_node=4", before="mini=$((45 * 4))")
    assert marked(SLUG, script) == snapshot


def test_sequence_parallelism_shares_the_gpus(snapshot: SnapshotAssertion) -> None:
    script = verl(f"{MICRO}=180", f"{SP}=2", "trainer.n_gpus_per_node=4", before="# verl: 0.4.1")
    assert marked(SLUG, script) == snapshot


def test_a_size_that_cannot_be_computed(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"{MICRO}=$SIZE")) == snapshot


def test_a_setting_that_moved(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"{SP}=2")) == snapshot


def test_a_root_configuration(snapshot: SnapshotAssertion) -> None:
    script = verl("--config-name='ppo_megatron_trainer.yaml'")
    assert marked(SLUG, script) == snapshot
