from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "rollout-log-probs"
SECTION = "algorithm.rollout_correction"
BYPASS, IS, RS = (f"{SECTION}.{key}" for key in ("bypass_mode=True", "rollout_is", "rollout_rs"))
OLD = "# verl: 0.8.0"
GIVEN = "actor_rollout_ref.rollout.calculate_log_probs"


@pytest.mark.parametrize(
    "script",
    [
        verl(before=OLD),
        verl(BYPASS),  # Given since 0.9.
        verl(BYPASS, f"{GIVEN}=True", before=OLD),
        verl(BYPASS, f"{GIVEN}=$GIVEN", before=OLD),
        verl(BYPASS.replace("True", "$BYPASS"), before=OLD),
        verl(f"{IS}=token", f"{GIVEN}=True", before=OLD),
        verl(f"{IS}=null", f"{RS}=null", before=OLD),
        verl(f"{IS}=$IS", before=OLD),
        verl(BYPASS, "trainer.val_only=True", "trainer.val_before_train=True", before=OLD),
        # Its own trainer and configuration.
        verl(f"{RS}=seq_mean_k1", before=OLD).replace(
            "verl.trainer.main_ppo", "verl.experimental.one_step_off_policy.main_ppo"
        ),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(BYPASS, before="# verl: 0.8.0"),
        verl(BYPASS, f"{GIVEN}=False"),
        # HarryHsing/OmniAgent's train_GRPO.sh.
        verl(f"{SECTION}.bypass_mode=false", f"{IS}=token", f"{RS}=null", before="# verl: 0.7.0"),
        verl(f"{IS}=null", f"{RS}=seq_mean_k1", before="# verl: 0.7.1"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('if "rollout_log_probs" not in batch.batch:\n    raise ValueError\n', 1),
        ("pass\n", 0),
    ],
)
def test_a_copy_that_does_not_ask(text: str, found: int) -> None:
    files = {
        "verl/trainer/config/ppo_trainer.yaml": (
            b"actor_rollout_ref: {rollout: {name: vllm, calculate_log_probs: false}}\n"
            b"algorithm: {rollout_correction: {bypass_mode: false}}\n"
        ),
        "verl/trainer/ppo/rollout_corr_helper.py": text.encode(),
    }
    data = f"python3 -m verl.trainer.main_ppo {BYPASS}\n".encode()
    report = check_script(
        ScriptFile(path="run.sh", data=data), CheckOptions(place=InCheckout(Checkout(files)))
    )
    assert [one.id for one in report.findings].count("RLB142") == found
