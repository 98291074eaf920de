from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import verl
from tests.rules.helpers import found, marked, quiet

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
        verl(f"{SP}=2", before="# verl: 0.7.1"),  # louieworth/verl: its workers read no other.
        verl(f"{MICRO}=null"),  # 065536/Asycn_verl
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


def test_a_setting_without_effect(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl("data.val_batch_size=1312")) == snapshot


@pytest.mark.parametrize(
    ("settings", "release", "severity"),
    [
        ((), "", "note"),  # microsoft/rStar, by a verl of 2025 in which it counts
        ((), "0.9.1", "warning"),
        (("actor_rollout_ref.model.mtp.enable=False",), "", "warning"),  # no 0.6.1 takes that
    ],
)
def test_without_effect_from_one_release_on(
    settings: tuple[str, ...], release: str, severity: str
) -> None:
    before = f"# verl: {release}" if release else ""
    script = verl("actor_rollout_ref.rollout.mode=async", *settings, before=before)
    (one,) = found(SLUG, script)
    assert one.severity == severity
    assert ("for verl 0.7.0 or later remove it" in (one.help or "")) == (severity == "note")


def test_a_recipes_own_settings_speak_for_no_release() -> None:
    own = (
        b"hydra:\n  searchpath:\n    - file://verl/verl/trainer/config\n"
        b"defaults:\n  - ppo_trainer\n  - _self_\nmine:\n  depth: 2\n"
    )
    script = ScriptFile(
        path="examples/run.sh",
        data=b"python3 -m mine.main_mine actor_rollout_ref.rollout.mode=async mine.depth=3\n",
    )
    main = (
        b"import hydra\n\n\n"
        b'@hydra.main(config_path="config", config_name="mine", version_base=None)\n'
        b"def main(config):\n    run(config)\n"
    )
    files = {"mine/config/mine.yaml": own, "mine/main_mine.py": main}
    report = check_script(script, CheckOptions(place=InCheckout(Checkout(files))))
    assert [one.severity for one in report.findings if one.id == "RLB023"] == ["note"]


def test_a_size_over_all_gpus_becomes_one_per_gpu(snapshot: SnapshotAssertion) -> None:
    script = verl(f"{MICRO}=${{mini}}", "trainer.n_gpus_per_node=4", before="mini=$((45 * 4))")
    assert marked(SLUG, script) == snapshot


def test_sequence_parallelism_shares_the_gpus(snapshot: SnapshotAssertion) -> None:
    script = verl(f"{MICRO}=180", f"{SP}=2", "trainer.n_gpus_per_node=4", before="# verl: 0.4.1")
    assert marked(SLUG, script) == snapshot


def test_a_size_that_cannot_be_computed(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"{MICRO}=$SIZE")) == snapshot


def test_a_setting_that_moved(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"{SP}=2", before="# verl: 0.9.1")) == snapshot


def test_a_setting_that_moved_since_the_release_that_may_be_meant() -> None:
    """InternLM/POLAR, whose submodule is verl 0.5.0: what replaces it stops the launch there."""
    (one,) = found(SLUG, verl("critic.optim.warmup_style=cosine"))
    assert (one.severity, one.fix) == ("note", None)
    assert one.help == "for verl 0.6.0 or later use critic.optim.lr_scheduler_type"


def test_a_root_configuration(snapshot: SnapshotAssertion) -> None:
    script = verl("--config-name='ppo_megatron_trainer.yaml'")
    assert marked(SLUG, script) == snapshot
