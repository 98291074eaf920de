from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "agent-workers"
BATCH, N = "data.train_batch_size", "actor_rollout_ref.rollout.n"
WORKERS = "actor_rollout_ref.rollout.agent.num_workers"
MODE = "actor_rollout_ref.rollout.mode"
STATED = "# verl: 0.8.0"
FOUR = (f"{BATCH}=4", f"{N}=1")


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{BATCH}=4", f"{N}=2", before=STATED),
        verl(f"{BATCH}=4", f"{N}=$N", before=STATED),
        verl(*FOUR, f"{WORKERS}=2", before=STATED),
        verl(*FOUR, "data.gen_batch_size=8", before=STATED),
        verl(*FOUR, "data.gen_batch_size=$SIZE", before=STATED),
        verl(*FOUR, before=f"{STATED}\nexport VERL_AUTO_PADDING=1"),
        verl(*FOUR, "trainer.val_only=True", "trainer.val_before_train=True", before=STATED),
        verl(*FOUR, before="# verl: 0.9.1"),  # Its trainer hands what is left to fewer workers.
        verl(*FOUR),
        verl(*FOUR, before="# verl: 0.6.1"),  # The default was sync.
        verl(*FOUR, before="# verl: 0.4.1"),
        verl(*FOUR, before=STATED).replace("verl.trainer.main_ppo", "recipe.dapo.main_dapo"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(*FOUR, before=STATED),
        verl(*FOUR, f"{MODE}=async", before="# verl: 0.6.1"),
        verl(f"{BATCH}=16", f"{N}=5", f"{WORKERS}=12", before="# verl: 0.7.1"),
        verl(*FOUR, "trainer.use_v1=False", before="# verl: 0.9.1"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


YAML = b"""
data: {train_batch_size: 4}
trainer: {val_only: false, val_before_train: true}
actor_rollout_ref: {rollout: {mode: async, n: 1, agent: {num_workers: 8}}}
"""
CHUNKS = b"chunkes = prompts.chunk(len(self.agent_loop_workers))\n"
DAPO = b"actor_rollout_ref: {actor: {fsdp_config: {model_dtype: fp32}}, model: {mtp: null}}"


@pytest.mark.parametrize(("source", "count"), [(CHUNKS, 1), (b"pass\n", 0)])
def test_a_copy_that_divides_so(source: bytes, count: int) -> None:
    """Luzhenyan/verl_memagent's notes: 4 prompts, and the default of 8 workers."""
    files = {
        "verl/trainer/config/ppo_trainer.yaml": YAML,
        "verl/trainer/ppo/ray_trainer.py": b"pass\n",
        "verl/experimental/agent_loop/agent_loop.py": source,
    }
    data = b"python3 -m verl.trainer.main_ppo data.train_batch_size=4\n"
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="run.sh", data=data), options)
    assert [one.severity for one in report.findings if one.id == "RLB140"] == ["error"] * count
