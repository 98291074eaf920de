from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import lines, verl
from tests.profiles import scaled
from tests.rules.helpers import found, marked, quiet

SLUG = "batch-divisibility"
OFF = "actor_rollout_ref.actor.use_dynamic_bsz=False"
MICRO = "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"
MEGATRON = "model_engine=megatron"
TENSOR = "actor_rollout_ref.actor.megatron.tensor_model_parallel_size=3"


@pytest.mark.parametrize(
    "script",
    [
        verl(OFF, "data.train_batch_size=1024"),
        verl("data.train_batch_size=100"),  # sized by tokens
        verl(OFF, "data.train_batch_size=100", "actor_rollout_ref.rollout.n=2"),
        verl(OFF, "data.train_batch_size=$BATCH"),
        verl(OFF, "data.train_batch_size=100", "trainer.n_gpus_per_node=$GPUS"),
        verl(OFF, "data.train_batch_size=100", "$EXTRA"),
        verl(OFF, "data.train_batch_size=100", "actor_rollout_ref.actor.strategy=$S"),
        verl(OFF, MEGATRON, "data.train_batch_size=100", f"{MICRO}=$M"),
        verl(OFF, MEGATRON, "data.train_batch_size=96", f"{MICRO}=4"),
        verl(OFF, MEGATRON, "data.train_batch_size=100", f"{MICRO}=4", TENSOR),  # no whole ranks
        lines("trainer.nnodes=1"),
        verl(OFF, "data.train_batch_size=100").replace("main_ppo", "main_eval"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


def test_the_nodes_that_slurm_is_asked_for_count() -> None:
    text = verl(OFF, "data.train_batch_size=24", "trainer.nnodes=$SLURM_NNODES")
    text = f"#!/bin/bash\n#SBATCH --nodes=$\n{text}"
    (finding,) = found(SLUG, text.replace("=$\n", "=2\n"))
    assert "is no multiple of the 16 GPUs" in finding.message
    assert quiet(SLUG, text.replace("=$\n", "=1-2\n"))
    assert quiet(SLUG, text.replace("=$\n", "=2\nSLURM_NNODES=1\n"))


SHARED = ("data.train_batch_size=32", "trainer.nnodes=16", "actor_rollout_ref.rollout.n=32")
"""32 prompts for 128 GPUs, as many as their responses: verl's issue 606."""


@pytest.mark.parametrize(
    ("release", "changed"),
    [
        ("0.5.0", ()),  # It repeats them before it generates.
        ("0.4.1", ("data.train_batch_size=256",)),
        ("0.4.1", ("actor_rollout_ref.rollout.mode=async",)),
        ("0.4.1", ("actor_rollout_ref.rollout.mode=$MODE",)),
        ("0.4.1", ("trainer.nnodes=$NODES",)),
        ("0.4.1", ("actor_rollout_ref.actor.strategy=megatron",)),
        ("0.4.1", ("trainer.val_only=True", "trainer.val_before_train=True")),
    ],
)
def test_prompts_that_can_be_divided(release: str, changed: tuple[str, ...]) -> None:
    keys = {one.split("=")[0] for one in changed}
    kept = [one for one in SHARED if one.split("=")[0] not in keys]
    assert quiet(SLUG, f"# verl: {release}\n{verl(*kept, *changed)}")


def test_prompts_that_verl_pads() -> None:
    padded = verl(*SHARED, before="export VERL_AUTO_PADDING=1")
    assert quiet(SLUG, f"# verl: 0.4.1\n{padded}")


@pytest.mark.parametrize("release", ["0.2", "0.3.0.post1", "0.4.0", "0.4.1"])
def test_prompts_that_are_divided_before_they_are_repeated(release: str) -> None:
    """Also where batches are sized by tokens, as theirs were."""
    (finding,) = found(SLUG, f"# verl: {release}\n{verl(*SHARED)}")
    assert (finding.severity, finding.help) == ("error", "use 128")
    assert finding.message == (
        "train_batch_size 32 is no multiple of the 128 GPUs, among which verl divides the prompts "
        "before 0.5"
    )


@pytest.mark.parametrize(
    "script",
    [
        verl(OFF, "data.train_batch_size=100"),
        verl(OFF, "data.train_batch_size=$b", "actor_rollout_ref.rollout.n=3", before="b=100"),
        verl(OFF, "trainer.n_gpus_per_node=6"),
        verl(OFF, MEGATRON, "data.train_batch_size=100", f"{MICRO}=4"),
        verl(OFF, "data.train_batch_size=3"),
    ],
)
def test_quotes_the_numbers(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@settings(max_examples=scaled(40))
@given(st.integers(1, 2000), st.integers(1, 9), st.integers(1, 8), st.integers(1, 4))
def test_fires_exactly_when_verl_would(batch: int, n: int, per_node: int, nodes: int) -> None:
    def script(batch: int) -> str:
        return verl(
            OFF,
            f"data.train_batch_size={batch}",
            f"actor_rollout_ref.rollout.n={n}",
            f"trainer.n_gpus_per_node={per_node}",
            f"trainer.nnodes={nodes}",
        )

    findings = found(SLUG, script(batch))
    assert bool(findings) == ((batch * n) % (per_node * nodes) != 0)
    for finding in findings:
        for better in re.findall(r"\d+", finding.help or ""):
            assert quiet(SLUG, script(int(better)))
