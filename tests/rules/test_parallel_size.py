from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import found, marked, quiet

SLUG = "parallel-size"
BASE = ("model_engine=megatron", "actor_rollout_ref.actor.use_dynamic_bsz=False")
MEGATRON = "actor_rollout_ref.actor.megatron"
TP = f"{MEGATRON}.tensor_model_parallel_size"
PP = f"{MEGATRON}.pipeline_model_parallel_size"
SP = "actor_rollout_ref.actor.fsdp_config.ulysses_sequence_parallel_size"
CP = f"{MEGATRON}.context_parallel_size"


@pytest.mark.parametrize(
    "script",
    [
        verl(*BASE, f"{TP}=8"),
        verl(*BASE, f"{TP}=2", f"{PP}=2", f"{CP}=2"),
        verl(*BASE, f"{TP}=$TP"),
        verl(*BASE, f"{TP}=3", "trainer.nnodes=$N"),
        verl("model_engine=megatron", f"{TP}=3"),  # sized by tokens
        verl("actor_rollout_ref.actor.use_dynamic_bsz=False", f"{TP}=3"),  # FSDP
        verl(f"{SP}=4"),
        verl(f"{SP}=$SP"),
        verl(f"{SP}=3", "trainer.nnodes=3"),
        verl(*BASE, f"{SP}=3"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


def test_a_number_of_gpus_that_slurm_may_set_is_no_error() -> None:
    """verl's langgraph_agent: two GPUs by default, four below `#SBATCH --gres=gpu:4`."""
    before = "export GPUS=${SLURM_GPUS_ON_NODE:-${GPUS:-2}}"
    (finding,) = found(SLUG, verl(f"{SP}=4", 'trainer.n_gpus_per_node="$GPUS"', before=before))
    assert finding.severity == "warning"


@pytest.mark.parametrize(
    "script",
    [
        verl(*BASE, f"{TP}=3"),
        verl(*BASE, f"{TP}=4", f"{PP}=$pp", f"{CP}=2", before="pp=3"),
        verl(*BASE, f"{TP}=8", "trainer.n_gpus_per_node=4"),
        verl(f"{SP}=3"),
    ],
)
def test_quotes_the_numbers(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


EP, ETP = (f"{MEGATRON}.{kind}_parallel_size" for kind in ("expert_model", "expert_tensor"))
EXPERTS = ("model_engine=megatron", f"{TP}=4", f"{PP}=2")


@pytest.mark.parametrize(
    "settings",
    [
        (*EXPERTS, f"{EP}=4", f"{ETP}=1"),
        (*EXPERTS, f"{EP}=1"),
        (*EXPERTS, f"{EP}=2", "trainer.nnodes=2"),
        (*EXPERTS, f"{EP}=2", f"{ETP}=$ETP"),
        (*EXPERTS, f"{EP}=$EP"),
        (*EXPERTS, f"{EP}=2", "trainer.nnodes=$N"),
        (f"{TP}=4", f"{PP}=2", f"{EP}=2"),  # FSDP
    ],
)
def test_experts_that_can_be_shared_out_are_fine(settings: tuple[str, ...]) -> None:
    assert quiet(SLUG, verl(*settings))


@pytest.mark.parametrize("dynamic", ["True", "False"])
def test_an_expert_tensor_size_that_is_not_set_is_the_tensor_size(dynamic: str) -> None:
    """As the estimate says: 8 GPUs cannot be divided by 2 × 4 × 2."""
    given = (f"{EP}=2", f"actor_rollout_ref.actor.use_dynamic_bsz={dynamic}")
    (finding,) = found(SLUG, verl(*EXPERTS, *given))
    assert "expert × expert tensor × pipeline parallel size 2 × 4 × 2 = 16" in finding.message
    assert finding.severity == "error"
    (finding,) = found(SLUG, verl(*EXPERTS, *given, f"{ETP}=3"))
    assert "2 × 3 × 2 = 12" in finding.message
