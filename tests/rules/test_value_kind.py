from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import openrlhf, verl
from tests.rules.helpers import found, marked, quiet

SLUG = "value-kind"
ACTOR = "actor_rollout_ref.actor"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl("data.train_batch_size=1024"),
        verl(f"{ACTOR}.use_kl_loss=true"),
        verl(f"{ACTOR}.use_kl_loss=FALSE"),
        verl(f"{ACTOR}.use_kl_loss=1"),
        verl(f"{ACTOR}.use_kl_loss=$KL"),
        verl(f"{ACTOR}.optim.lr=1e-6"),
        verl(f"{ACTOR}.optim.lr=1"),
        verl(f"{ACTOR}.entropy_coeff=0.001"),
        verl("actor_rollout_ref.rollout.temperature=0.6"),
        verl("trainer.total_training_steps=100"),
        verl("trainer.save_freq=after_each_epoch"),
        # `int(3.0)`, and compared with the step: as good as 3 (videoreward-verl).
        verl(f"{ACTOR}.optim.lr_warmup_steps=3.0"),
        verl("trainer.save_freq=10.0"),
        verl("trainer.test_freq=False"),
        verl("algorithm.rollout_correction.rollout_is_threshold=0.5_4.0"),
        verl("trainer.project_name=7"),
        verl("data.train_batch_size=null"),
        verl("+trainer.of_mine=Ture"),
        openrlhf(),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{ACTOR}.use_kl_loss=Ture"),
        verl(f"{ACTOR}.use_kl_loss=$KL", before="KL=Flase"),
        verl(f"{ACTOR}.use_kl_loss=yes"),
        verl(f"{ACTOR}.use_kl_loss=bf16"),
        verl(f"{ACTOR}.optim.lr=abc"),
        verl("data.train_batch_size=1024.0"),
        verl("data.max_prompt_length=5l2"),
        verl("trainer.nnodes=one"),
        verl("actor_rollout_ref.rollout.gpu_memory_utilization=60%"),
    ],
)
def test_a_value_of_another_kind(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


def test_a_share_of_the_steps_starts() -> None:
    """`int(0.1)` is 0: no warm-up, where the author means a tenth of the training."""
    (one,) = found(SLUG, verl(f"{ACTOR}.optim.lr_warmup_steps=0.1"))
    assert one.severity == "warning"


@pytest.mark.parametrize(
    ("setting", "severities"),
    [
        ("data.val_proportion=0.1", []),  # Of Self-Aligned-Reward; its name counts nothing.
        ("data.own_size=0.5", ["warning"]),  # The fork's code alone says what it takes.
        ("data.own_size=text", ["warning"]),
        ("data.train_batch_size=0.5", ["error"]),
    ],
)
def test_a_setting_of_the_repositorys_own(setting: str, severities: list[str]) -> None:
    root = b"data: {val_proportion: 1, own_size: 1, train_batch_size: 8}\n"
    checkout = Checkout({"verl/trainer/config/ppo_trainer.yaml": root})
    script = ScriptFile(
        path="run.sh", data=f"python3 -m verl.trainer.main_ppo {setting}\n".encode()
    )
    report = check_script(script, CheckOptions(place=InCheckout(checkout)))
    assert [f.severity for f in report.findings if f.id == "RLB033"] == severities
