from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import found, marked, quiet

SLUG = "mini-batch-shares"
MINI = "actor_rollout_ref.actor.ppo_mini_batch_size"
N = "actor_rollout_ref.rollout.n"
SP = "actor_rollout_ref.actor.fsdp_config.ulysses_sequence_parallel_size"
MEGATRON = "actor_rollout_ref.actor.strategy=megatron"
LEGACY = "trainer.use_legacy_worker_impl=disable"
TP = "actor_rollout_ref.actor.megatron.tensor_model_parallel_size"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{MINI}=64", f"{N}=5"),
        verl(f"{MINI}=1", f"{N}=8"),
        verl(f"{MINI}=3", f"{N}=2", f"{SP}=4"),
        verl(f"{MINI}=3", f"{N}=2", "model_engine=megatron", f"{TP}=4"),
        verl(f"{MINI}=3", f"{N}=$N"),
        verl(f"{MINI}=12", f"{N}=1", before="# verl: 0.7.1"),  # It rounds down.
        verl(f"{MINI}=3", f"{N}=1", before="# verl: 0.2"),  # It does not ask.
        verl(f"{MINI}=3", f"{N}=1", LEGACY, before="# verl: 0.7.1"),
        verl(f"{MINI}=3", f"{N}=1", MEGATRON, before="# verl: 0.7.1"),
        verl(f"{MINI}=3", f"{N}=1", "trainer.val_only=True", before="# verl: 0.9.1"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{MINI}=3", f"{N}=1", before="# verl: 0.9.1"),
        verl(f"{MINI}=36", f"{N}=5", f"{SP}=2", "trainer.nnodes=2", before="# verl: 0.9.1"),
        verl(f"{MINI}=3", f"{N}=1", "model_engine=megatron", f"{TP}=4"),
        verl(f"{MINI}=3", f"{N}=1", "trainer.val_only=True", "trainer.val_before_train=False"),
        verl(f"{MINI}=3", f"{N}=1", before="# verl: 0.7.1"),
        verl(f"{MINI}=3", f"{N}=2", "trainer.nnodes=2", before="# verl: 0.3.0"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    ("more", "severity"),
    [
        ({"before": ""}, "warning"),  # 0.7.1 takes the settings, and may be meant.
        ({"before": "# verl: 0.8.0"}, "error"),
        ({"new": "model_engine=megatron"}, "error"),
    ],
)
def test_only_a_release_that_is_known_makes_it_an_error(
    more: dict[str, str], severity: str
) -> None:
    settings = [f"{MINI}=3", f"{N}=1", *filter(None, [more.get("new")])]
    (one,) = found(SLUG, verl(*settings, before=more.get("before", "")))
    assert one.severity == severity


def test_one_value_that_is_batch_and_mini_batch_is_told_once() -> None:
    """BkAgent's: `TRAIN_BATCH_SIZE=32` for both, eight responses, three GPUs."""
    both = ("data.train_batch_size=$SIZE", f"{MINI}=$SIZE", f"{N}=8", "trainer.n_gpus_per_node=3")
    static = (*both, "actor_rollout_ref.actor.use_dynamic_bsz=False")
    before = "# verl: 0.9.1\nSIZE=32"
    assert quiet(SLUG, verl(*static, before=before))
    assert found("batch-divisibility", verl(*static, before=before))
    assert found(SLUG, verl(*both, "actor_rollout_ref.actor.use_dynamic_bsz=True", before=before))
    assert found(SLUG, verl(*static, "data.train_batch_size=33", before=before))
