from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import found, marked, quiet

SLUG = "micro-batch-form"
OFF = "actor_rollout_ref.actor.use_dynamic_bsz=False"
ACTOR = "actor_rollout_ref.actor.ppo_micro_batch_size"
ROLLOUT = "actor_rollout_ref.rollout.log_prob_micro_batch_size"
REF = "actor_rollout_ref.ref.log_prob_micro_batch_size"
KL = "actor_rollout_ref.actor.use_kl_loss=True"
OLD = "# verl: 0.4.1"
NEW = "actor_rollout_ref.rollout.disaggregation.enabled=False"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(OFF, f"{ACTOR}_per_gpu=4", f"{ROLLOUT}_per_gpu=4"),
        verl(OFF, f"{ACTOR}_per_gpu=4", f"{ROLLOUT}_per_gpu=4", f"{REF}_per_gpu=4", KL),
        verl(OFF, f"{ACTOR}_per_gpu=$M", f"{ROLLOUT}_per_gpu=$M"),
        verl(OFF, f"{ACTOR}=$M", f"{ROLLOUT}=$M"),
        verl(OFF, f"{ACTOR}=64", f"{ROLLOUT}=64", before=OLD),
        verl(OFF, "$EXTRA"),
        # A size for each of several agents (Within-yao/EnvACE).
        verl(
            OFF,
            "+agent.agent_specific_parameters.actor.ppo_micro_batch_size_per_gpu=[4,4]",
            f"{ROLLOUT}_per_gpu=4",
        ),
        verl("actor_rollout_ref.actor.use_dynamic_bsz=$DYNAMIC"),
        verl(f"{ACTOR}_per_gpu=0"),
        verl(OFF).replace("main_ppo", "main_generation"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(OFF),
        verl(OFF, f"{ACTOR}_per_gpu=4", f"{ROLLOUT}_per_gpu=4", KL),
        verl(OFF, f"{ACTOR}=64", f"{ACTOR}_per_gpu=4", f"{ROLLOUT}_per_gpu=4"),
        verl(OFF, f"{ACTOR}=$b", f"{ROLLOUT}=$b", f"{REF}=$b", KL, before="# verl: 0.9.1\nb=64"),
        verl(OFF, f"{ACTOR}=64", before=OLD),
        verl(OFF, f"{ACTOR}_per_gpu=0", f"{ROLLOUT}_per_gpu=4"),
    ],
)
def test_names_the_form_that_is_missing(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    ("settings", "before", "severity"),
    [
        # Up to 0.7.1 the sizes over all GPUs counted, and 0.1 has defaults.
        ((f"{ACTOR}=64", f"{ROLLOUT}=64"), "", "warning"),
        ((f"{ACTOR}=64", f"{ROLLOUT}=64"), "# verl: 0.9.1", "error"),
        ((f"{ACTOR}=64", f"{ROLLOUT}=64", NEW), "", "error"),
        ((f"{ACTOR}_per_gpu=4",), "", "error"),
    ],
)
def test_an_older_release_may_be_meant(
    settings: tuple[str, ...], before: str, severity: str
) -> None:
    text = verl(OFF, *settings, before=before)
    assert {one.severity for one in found(SLUG, text)} == {severity}


def test_a_script_of_0_1_may_rely_on_its_defaults() -> None:
    text = "python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.ppo_mini_batch_size=128\n"
    assert {one.severity for one in found(SLUG, text)} == {"warning"}


@pytest.mark.parametrize(
    ("micro", "severity"), [(f"{ACTOR}=8", "warning"), (f"{ACTOR}_per_gpu=8", "error")]
)
def test_a_script_that_knows_the_older_form_alone_may_rely_on_defaults(
    micro: str, severity: str
) -> None:
    """TinyZero's copy of verl has `rollout.n`, which 0.1 lacks, and its defaults."""
    text = verl(micro, "actor_rollout_ref.rollout.n=1", "trainer.total_training_steps=50")
    text = text.replace("use_dynamic_bsz=True", "clip_ratio=0.2")
    missing = [one for one in found(SLUG, text) if "is not set" in one.message]
    assert {one.severity for one in missing} == {severity}
