from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.rules._support.example import lines, trl, verl
from tests.rules.helpers import fixed, found, marked, quiet

SLUG = "broken-continuation"


@pytest.mark.parametrize(
    "script",
    [
        verl("trainer.nnodes=1"),
        verl(end=" \\"),
        verl(end=" \\") + "\n",
        verl(end=" \\") + "# the end\n",
        "A=1\nB=2\n" + verl(),
        "./run.sh key=1\n",
        "# trainer.nnodes=1\n" + verl(),
        "ARGS=(\n    # one node\n    trainer.nnodes=1\n\n    trainer.n_gpus_per_node=8\n)\n"
        + verl('"${ARGS[@]}"'),
        "git log --oneline\n",
        "cat <<EOF\ntrainer.nnodes=1\nEOF\n",
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


BROKEN = {
    "comment": " \\\n    # one node\n    trainer.nnodes=1 \\\n    trainer.n_gpus_per_node=8\n",
    "blank": " \\\n\n    trainer.nnodes=1\n",
    "several": " \\\n\n    # one node\n    # of eight\n\n    trainer.nnodes=1\n",
    "space": " \\ \n    trainer.nnodes=1 \\\n    trainer.n_gpus_per_node=8\n",
    "comment behind": " \\  # one node\n    trainer.nnodes=1\n",
    "missing": "\n    trainer.nnodes=1\n",
    "two": " \\\\\n    trainer.nnodes=1 \\\n    trainer.n_gpus_per_node=8\n",
    "plus": "\n    +trainer.nnodes=1\n",
    "semicolon": "; trainer.nnodes=1\n",
    "missing, and a comment": "\n    # one node\n    trainer.nnodes=1\n",
    # From threewisemonkeys-as/cai: what follows belongs to the assignment.
    "assigned": " & pid=$! \\\n    --fix_random_seed\n",
}


@pytest.mark.parametrize("how", BROKEN)
def test_says_why_the_command_ended(how: str, snapshot: SnapshotAssertion) -> None:
    script = lines("algorithm.adv_estimator=grpo", end=BROKEN[how]).rstrip("\n") + "\n"
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize("how", ["comment", "blank", "several", "space", "missing", "two"])
def test_the_fix_joins_the_lines(how: str) -> None:
    script = lines("algorithm.adv_estimator=grpo", end=BROKEN[how]).rstrip("\n") + "\n"
    mended = fixed(SLUG, script)
    assert mended != script
    assert quiet(SLUG, mended)


def test_options_of_openrlhf(snapshot: SnapshotAssertion) -> None:
    script = (
        "python3 -m openrlhf.cli.train_sft \\\n   --max_len 2048 \\\n\n   --bf16 \\\n   --lr 1\n"
    )
    assert marked(SLUG, script) == snapshot


BEHIND = "data.train_files=a.parquet \\ # TODO: the path\n    data.val_files=b.parquet"


def test_a_cut_launch_is_reported_once_and_without_what_it_lacks() -> None:
    """The words of the comment and the settings that were cut off are consequences."""
    script = "python3 -m verl.trainer.main_ppo \\\n    algorithm.adv_estimator=gae \\\n    "
    report = check_script(
        ScriptFile(path="x.sh", data=f"{script}{BEHIND}\n".encode()), CheckOptions()
    )
    errors = [finding.id for finding in report.findings if finding.severity == "error"]
    assert errors == ["RLB025"]


def test_a_cut_launch_is_not_held_to_the_defaults_of_what_was_cut_off() -> None:
    """100 prompts × 1 response on 8 GPUs: the script has 5 responses on 2."""
    settings = [
        "algorithm.adv_estimator=grpo",
        "data.train_batch_size=100",
        "actor_rollout_ref.rollout.name=vlm",
        "actor_rollout_ref.rollout.n=5",
        "trainer.n_gpus_per_node=2",
    ]
    whole = lines(*settings, end="\n")
    script = whole.replace("name=vlm \\\n", "name=vlm \\ \n")
    assert script != whole
    report = check_script(ScriptFile(path="x.sh", data=script.encode()), CheckOptions())
    found_ids = [f.id for f in report.findings if f.severity != "note"]
    assert found_ids == ["RLB034", "RLB025"]


@pytest.mark.parametrize(
    ("kept", "cut_off", "rule"),
    [
        ("--per_device_train_batch_size 4", "--num_generations 4", "full-groups"),
        ("--lora_r 16", "--use_peft", "adapter-switch"),
    ],
)
def test_nor_is_one_of_trl(kept: str, cut_off: str, rule: str) -> None:
    whole = trl(kept, cut_off)
    cut = whole.replace(f"{kept} \\\n", f"{kept} \\ \n")
    assert cut != whole
    assert rule in _slugs(trl(kept))
    assert rule not in _slugs(whole) | _slugs(cut)


def _slugs(script: str) -> set[str]:
    report = check_script(ScriptFile(path="x.sh", data=script.encode()), CheckOptions())
    return {finding.slug for finding in report.findings}


def test_words_behind_the_last_backslash_are_one_finding() -> None:
    assert len(found("bad-override", verl(end=" \\ # the end of it"))) == 1


def test_a_placeholder_that_hydra_refuses_is_one_to_fill_in() -> None:
    word = "'actor_rollout_ref.model.path=<your_path>/Qwen2.5-7B'"
    assert quiet("bad-override", verl(word))
    assert [hit.severity for hit in found("placeholder", verl(word))] == ["warning"]
    both = "'data.train_files=<your path>/a,b'"
    assert quiet("placeholder", verl(both))
    assert found("bad-override", verl(both))


def test_adjoining_lines_without_a_backslash_are_one_finding() -> None:
    settings = ["data.train_batch_size=64", "data.max_prompt_length=64", "trainer.nnodes=1"]
    script = lines("algorithm.adv_estimator=grpo", *settings, end="\n").replace(" \\\n", "\n")
    (hit,) = found(SLUG, script)
    assert "up to line" in str(hit.message)
    assert quiet(SLUG, fixed(SLUG, script))


def test_what_ray_is_to_start_behind_a_blank_line() -> None:
    command = 'ray job submit --address="http://127.0.0.1:8265" \\\n%s    -- '
    assert quiet(SLUG, command % "" + verl())
    (hit,) = found(SLUG, command % "\n" + verl())
    assert str(hit.message).startswith("-- runs as a command of its own: the blank line")
