from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import fixed, found, marked, quiet

SLUG = "bad-override"


@pytest.mark.parametrize(
    "script",
    [
        verl('trainer.logger=\'["console","wandb"]\''),
        verl("data.train_files=\"['$HOME/a.parquet']\""),
        verl("data.train_files=$(ls)"),
        verl("$EXTRA"),
        verl(end=' "$@"'),
        verl("trainer.experiment_name=a-b_c.d"),
        verl("trainer.experiment_name="),
        verl("trainer.experiment_name=$(date +%F)-x"),
        verl("--config-name=ppo_megatron_trainer.yaml"),
        verl("actor_rollout_ref.rollout.val_kwargs='{temperature: 1.0}'"),
        # A program takes its first word for itself and hands Hydra the others (EnvVerifier).
        "python -m agents.cli train actor_rollout_ref.rollout.name=vllm trainer.nnodes=1\n",
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "word",
    [
        "trainer.experiment_name=7b,h100)",
        "trainer.nnodes",
        "trainer.experiment_name=a,b",
        "trainer.logger=[console,wandb",
        "trainer.project_name={PROJECT}",  # 8421BCD/ReasonRank
        "trainer.experiment_name=baseline(16)",  # zzx-peter/verl
        "trainer.experiment_name=grpo_8npu}",
    ],
)
def test_what_cannot_be_parsed(word: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"'{word}'")) == snapshot


def test_settings_that_are_written_as_options_are_one_error() -> None:
    """shatianming5/goodhart-cascade: each was told of, and each value behind it."""
    words = (
        "--algorithm grpo",
        "--model.path $M",
        "--data.train_files=a.parquet",
        "trainer.nnodes=1",
    )
    (one,) = found(SLUG, verl(*words))
    assert "all 3 settings of this launch" in one.message
    assert "algorithm=…" in one.message
    assert len(found(SLUG, verl(*words[:2]))) > 1


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("trainer.val_before_train=f=False", "did you mean trainer.val_before_train=False?"),
        ("trainer.total_epochs=x=3", "did you mean trainer.total_epochs=3?"),
        ("data.train_files=/a=b", "quote the value for Hydra as well: 'data.train_files=\"/a=b\"'"),
    ],
)
def test_a_flag_is_not_mended_by_quotes(word: str, meant: str) -> None:
    """0001Henry/EVE: quoted, the text `f=False` counts as true."""
    (one,) = found(SLUG, verl(word))
    assert one.help == meant


def test_a_second_equals_sign_stands_where_it_was_written() -> None:
    """DAPO-14B/7.mcore_4node_tp8pp2.sh of verl_megatron_practice."""
    script = 'name=run\nDIR="DIR=$HOME/$name"\n' + verl('trainer.default_local_dir="$DIR"')
    (one,) = found(SLUG, script)
    assert (one.line, one.column) == (2, 9)


def test_blanks_around_an_equals_sign_within_an_array_stand_where_they_are() -> None:
    script = "ROLLOUT=(\n  actor_rollout_ref.rollout.n = 5\n)\n" + verl('"${ROLLOUT[@]}"')
    (hit,) = found(SLUG, script)
    assert (hit.line, hit.column, hit.end_column) == (2, 3, 34)
    assert "  actor_rollout_ref.rollout.n=5\n" in fixed(SLUG, script)


def test_one_place_in_the_rounds_of_a_loop_is_one_error() -> None:
    """ventr1c/Poker-R1: `conditions=("a", "b")`, whose commas are parts of the items."""
    loop = 'for c in "a", "b", c; do\n' + verl("trainer.project_name=x/$c") + "done\n"
    first, second = found(SLUG, loop)
    assert (first.line, second.line) == (1, 1)
    assert first.help == "remove the comma: blanks separate the items of a list of bash"
    again = "for c in 1 2 3; do\n" + verl("trainer.project_name=a,$c,") + "done\n"
    (finding,) = found(SLUG, again)
    assert finding.help is None


def test_the_words_of_one_value_are_one_error() -> None:
    """ChenxiZhang1231/vla-rl: `CKPT_PATH="THE PATH YOU WANT TO SAVE YOUR CKPT"`."""
    before = "CKPT=\"THE PATH TO SAVE\"\nexport NAME='a b'\nRUN='{value}'\n"
    words = ["trainer.default_local_dir=$CKPT", "trainer.project_name=$NAME"]
    first, second = found(SLUG, before + verl(*words))
    assert (first.line, second.line) == (1, 2)
    assert first.help == 'write "${CKPT}" in quotes where it is used, or its blanks end words'
    quoted = [word.replace("$", '"$') + '"' for word in words]
    assert not any("is no override" in one.message for one in found(SLUG, before + verl(*quoted)))


def test_a_variable_that_splits_a_setting_is_one_error(snapshot: SnapshotAssertion) -> None:
    """AFM/evaluation/code_agent/eval_code_agent.sh of OPPO-PersonalAI/Agent_Foundation_Models."""
    script = 'DATA="your train datasets"\n' + verl(r"data.train_files=[\"${DATA}\"]")
    (one,) = found(SLUG, script)
    assert "bash makes several words of data.train_files=" in one.message
    assert marked(SLUG, script) == snapshot


def test_words_of_one_variable_alone_are_errors_of_their_own() -> None:
    script = 'MORE="trainer.nnodes trainer.logger=[a"\n' + verl("$MORE")
    assert len(found(SLUG, script)) == 2


def test_the_words_of_an_array_are_errors_of_their_own() -> None:
    script = 'ARGS=(trainer.nnodes=1 a b "c" d)\n' + verl('"${ARGS[@]}"')
    assert len(found(SLUG, script)) == 4
    assert all(one.help is None for one in found(SLUG, script))


RLHF = "deepspeed --module openrlhf.cli.train_dpo --dataset d "


@pytest.mark.parametrize(
    ("more", "errors"),
    [
        # saramal/RePO…: quotes in a text of words end nothing.
        ("$ARGS", 1),
        ("--pretrain a b --bf16 c d", 2),
        # Deep-Agent/R1-V, eddycmu/demystify-long-cot: RLB032 says it.
        ("--use_wandb <my key> --wandb_project cot", 0),
        ("--save_path <OUT> --pretrain a b", 0),
    ],
)
def test_words_after_each_other_are_one_error(more: str, errors: int) -> None:
    head = "# openrlhf: 0.8.0\nARGS='--pretrain \"the model path here:\" --bf16'\n"
    script = head + RLHF + more + "\n"
    assert len(found(SLUG, script)) == errors


@pytest.mark.parametrize(
    "start",
    [
        "-m verl.trainer.main_ppo train actor_rollout_ref.rollout.name=vllm",
        "-m agents.cli train actor_rollout_ref.rollout.name=vllm more",
        "-m agents.cli 8 actor_rollout_ref.rollout.name=vllm",
    ],
)
def test_a_word_that_is_no_subcommand(start: str) -> None:
    assert len(found(SLUG, f"python {start}\n")) == 1
