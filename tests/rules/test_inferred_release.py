from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import verl
from tests.rules.helpers import found, marked, quiet

SLUG = "inferred-release"
OLD = "actor_rollout_ref.actor.fsdp_config.grad_offload=False"
"""A setting of verl 0.1 and 0.2 alone."""
NEW = "actor_rollout_ref.actor.pad_to_length=8"
"""A setting that came with verl 0.9.0."""


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(OLD, before="# verl: 0.2"),
        verl(OLD, before="# verl: 0.9.1"),
        verl("trainer.nothing_of_the_kind=1"),
        "python3 -m recipe.mine.main_mine trainer.my_own=1\n",
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    ("module", "ids"),
    [
        ("", ["RLB028"]),
        ('[submodule "verl"]\n\turl = https://github.com/volcengine/verl.git\n', []),
        # mll-lab-nu/VAGEN: 19 scripts whose fork is no release.
        ('[submodule "verl"]\n\turl = https://github.com/JamesKrW/verl.git\n', []),
    ],
)
def test_a_commit_or_a_fork_is_no_release_to_be_named(module: str, ids: list[str]) -> None:
    options = CheckOptions(place=InCheckout(Checkout({".gitmodules": module.encode()})))
    report = check_script(ScriptFile(path="run.sh", data=verl(OLD).encode()), options)
    assert [one.id for one in report.findings if one.id == "RLB028"] == ids


def test_one_setting_of_an_old_release(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(OLD)) == snapshot


def test_several_settings_are_one_finding(snapshot: SnapshotAssertion) -> None:
    ref = "actor_rollout_ref.ref.fsdp_config.fsdp_size=-1"
    more = "actor_rollout_ref.rollout.dtype=bfloat16"
    script = verl(OLD, "critic.model.fsdp_config.grad_offload=False", ref, more)
    assert marked(SLUG, script) == snapshot


def test_settings_that_no_release_has_together(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(OLD, NEW)) == snapshot


def test_each_setting_is_named_by_one_rule_alone() -> None:
    script = verl(OLD, "trainer.nothing_of_the_kind=1")
    assert len(found(SLUG, script)) == 1
    (error,) = found("unknown-key", script)
    assert "nothing_of_the_kind" in error.message


def test_a_beginning_that_several_options_have_now() -> None:
    """TRL's newest has `--num_generations_eval` beside `--num_generations`."""
    (finding,) = found(SLUG, "trl grpo --dataset_name a --num_generation 4\n")
    assert finding.message.startswith("settings that trl 1.16.0 lacks are in 0.14.0 to")


def test_options_of_an_old_release_of_openrlhf(snapshot: SnapshotAssertion) -> None:
    script = "python3 -m openrlhf.cli.train_ppo_ray --zero_stage 3 --rollout_batch_size 64\n"
    assert marked(SLUG, script) == snapshot


def test_a_plus_before_what_the_release_has(snapshot: SnapshotAssertion) -> None:
    """verl 0.1 has no val_before_train: there the + is needed."""
    assert marked(SLUG, verl("+trainer.val_before_train=True")) == snapshot
    both = verl(NEW, "+trainer.val_before_train=True")  # No release takes the two.
    assert marked(SLUG, both) == snapshot


TRAIN = b"""from trl import SFTConfig, SFTTrainer, TrlParser
parser = TrlParser((SFTConfig,))
(args,) = parser.parse_args_and_config()
SFTTrainer(model="Qwen/Qwen3-8B", args=args).train()
"""


def _messages(script: str) -> list[tuple[str, str]]:
    """The findings of a script beside a program that trains with TRL: ids and messages."""
    options = CheckOptions(place=InCheckout(Checkout({"train.py": TRAIN})))
    report = check_script(ScriptFile(path="run.sh", data=script.encode()), options)
    return [(one.id, one.message) for one in report.findings if one.severity != "note"]


@pytest.mark.parametrize("written", ["--bf16 True", "--bf16=true", "", "--tf32 True --bf16 no"])
def test_an_option_with_a_value_fits_the_newest_release(written: str) -> None:
    assert _messages(f"python train.py --output_dir out --max_length 4096 {written}\n") == []


def test_a_switch_of_an_old_release_is_named() -> None:
    """transformers takes a bare option of `bool | None` only where its default is a bool."""
    told = _messages("python train.py --output_dir out --max_length 4096 --bf16\n")
    assert told == [
        (
            "RLB028",
            "--bf16 needs a value in trl 1.16.0, but not in 0.13.0 to 0.18.2: read as 0.18.2",
        )
    ]


def test_a_switch_beside_settings_of_an_old_release() -> None:
    """`--max_prompt_length` alone is in 0.27.2, too."""
    script = "trl grpo --dataset_name a --max_prompt_length 256"
    (finding,) = found(SLUG, f"{script} --bf16\n")
    assert finding.message == (
        "trl 1.16.0 lacks settings, and --bf16 needs a value there; 0.14.0 to 0.18.2 take all as "
        "they are written: read as 0.18.2"
    )
    assert finding.help == "say which release the script is for, such as # trl: 0.18.2"
    (finding,) = found(SLUG, f"{script} --bf16 True\n")
    assert finding.message.endswith("are in 0.14.0 to 0.27.2: read as 0.27.2")
