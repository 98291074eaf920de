from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "micro-batch-size"
OFF = "actor_rollout_ref.actor.use_dynamic_bsz=False"
MINI = "actor_rollout_ref.actor.ppo_mini_batch_size"
MICRO = "actor_rollout_ref.actor.ppo_micro_batch_size"
SP = "actor_rollout_ref.actor.ulysses_sequence_parallel_size"


@pytest.mark.parametrize(
    "script",
    [
        verl(OFF, f"{MINI}=64", f"{MICRO}=16"),
        verl(OFF, f"{MINI}=64", f"{MICRO}_per_gpu=3"),
        verl(OFF, f"{MINI}=64", f"{MICRO}=4", f"{SP}=2"),
        verl(OFF, f"{MINI}=64", f"{MICRO}=$M"),
        verl(OFF, f"{MINI}=$M", f"{MICRO}=24"),
        verl(OFF, f"{MINI}=64", f"{MICRO}=4", f"{SP}=$SP"),
        verl(f"{MINI}=64", f"{MICRO}=3"),  # sized by tokens
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(OFF, f"{MINI}=64", f"{MICRO}=24"),
        verl(OFF, f"{MINI}=64", f"{MICRO}=4"),
        verl(OFF, f"{MINI}=64", f"{MICRO}=$m", f"{SP}=2", before="m=2"),
        verl(OFF, f"{MINI}=64", f"{MICRO}=3"),
    ],
)
def test_quotes_the_numbers(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


CONFIG = b"""
data: {train_batch_size: 64}
trainer: {n_gpus_per_node: 3, nnodes: 1}
actor_rollout_ref:
  actor: {strategy: fsdp, use_dynamic_bsz: false, ppo_mini_batch_size: 16,
    ppo_micro_batch_size: 3, ulysses_sequence_parallel_size: 1}
"""
CHECK = b"def _validate_config(self): ...\n"


@pytest.mark.parametrize(
    ("source", "sizes", "count"),
    [(b"pass\n", "", 0), (b"pass\n", f"{MICRO}=6", 1), (CHECK, "", 1)],
)
def test_workers_of_an_older_copy_compare_their_shares(
    source: bytes, sizes: str, count: int
) -> None:
    """SimpleVLA-RL-DenseReward: 16 // 3 is a multiple of 3 // 3, and not of 6 // 3."""
    files = {
        "verl/trainer/config/ppo_trainer.yaml": CONFIG,
        "verl/trainer/ppo/ray_trainer.py": source,
    }
    data = f"python3 -m verl.trainer.main_ppo data.train_batch_size=64 {sizes}\n".encode()
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="run.sh", data=data), options)
    assert [one.severity for one in report.findings if one.id == "RLB052"] == ["error"] * count
