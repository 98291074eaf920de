from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import lines, verl
from tests.rules.helpers import marked, quiet

SLUG = "name-gpus"


@pytest.mark.parametrize(
    "script",
    [
        verl("trainer.n_gpus_per_node=8"),
        verl("trainer.n_gpus_per_node=4", "trainer.nnodes=2"),
        verl("trainer.n_gpus_per_node=$N", before="N=${N:-8}"),
        verl("trainer.n_gpus_per_node=$(nvidia-smi -L | wc -l)"),
        verl("trainer.n_gpus_per_node=$GPUS"),
        verl("trainer.nnodes=$SLURM_NNODES"),
        lines("algorithm.adv_estimator=grpo"),  # 1 node × 8 GPUs are verl's defaults
        verl("trainer.n_gpus_per_node=4") + verl("trainer.n_gpus_per_node=8"),
        verl("trainer.n_gpus_per_node=4") + verl("trainer.n_gpus_per_node=$GPUS"),
        "echo nothing\n",
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


def test_stays_silent_without_a_number_in_the_name() -> None:
    assert quiet(SLUG, verl("trainer.n_gpus_per_node=4"), "run_qwen2_5_7b_fsdp.sh")


@pytest.mark.parametrize("path", ["exps/qwen3_4b_01_00_const1_zero.sh", "a_b_1_c_d_e.sh"])
def test_stays_silent_where_six_parts_stand_by_chance(path: str) -> None:
    """From ssangyeon/if-rlvr-rlvr: the form is not asked for there, and 00 is no device."""
    assert quiet(SLUG, verl("trainer.n_gpus_per_node=4"), path)
    assert quiet("name-device", verl(), path)
    assert not quiet(
        SLUG, verl("trainer.n_gpus_per_node=4"), "exps/qwen3-4b_grpo_1_h100_fsdp_vllm.sh"
    )


def test_stays_silent_for_a_name_of_the_other_form() -> None:
    # Six parts by chance: run, qwen2, 5, vl, 7b, fsdp.
    path = "examples/tuning/lora/run_qwen2_5_vl_7b_fsdp.sh"
    script = verl(
        "actor_rollout_ref.model.lora_rank=32",
        "actor_rollout_ref.model.path=Qwen/Qwen2.5-VL-7B-Instruct",
    )
    for slug in (SLUG, "name-adapter", "name-model", "size-folder"):
        assert quiet(slug, script, path)


def test_quotes_both_numbers_at_the_value(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl("trainer.n_gpus_per_node=4", "trainer.nnodes=1")) == snapshot


def test_points_at_the_assignment(snapshot: SnapshotAssertion) -> None:
    script = verl("trainer.n_gpus_per_node=${gpus}", before="gpus=1\nnodes=1")
    assert marked(SLUG, script) == snapshot


def test_points_at_the_nodes_when_they_alone_are_set(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, lines("trainer.nnodes=4")) == snapshot


def test_says_it_of_each_launch_when_none_agrees(snapshot: SnapshotAssertion) -> None:
    script = verl("trainer.n_gpus_per_node=4") + verl("trainer.n_gpus_per_node=2")
    assert marked(SLUG, script) == snapshot
