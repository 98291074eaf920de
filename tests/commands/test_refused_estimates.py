"""`rlbot estimate` of a launch that its framework refuses: the figures, and what stops it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.rules._support.example import verl
from tests.command import Result, rlbot

STOPPED = "  the launch cannot start: "
UNSET = "and it counts as not set"
TRL = "trl sft --model_name_or_path Qwen/Qwen3-0.6B --dataset_name a --max_length 512"


def _estimate(script: str | bytes, *options: str, name: str = "run.sh") -> Result:
    data = script.encode() if isinstance(script, str) else script
    given = ("--stdin-filename", name, "--device", "h100", "--gpus", "1", *options)
    return rlbot("estimate", "-", *given, stdin=data)


def _stopped(made: Result) -> list[str]:
    return [line for line in made.out.splitlines() if line.startswith(STOPPED)]


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl("+data.mine=1"),
        verl("actor_rollout_ref.actor.fsdp_config.grad_offload=False"),  # An old release has it.
        f"{TRL}\n",
        f"{TRL} --learning_rat 1e-6\n",  # A beginning that fits one option alone.
        f"{TRL} --bf16\n",  # A switch of an old release.
        f"{TRL} --learning_rte 1e-6  # rlbot: ignore[RLB020] our own copy has it\n",
    ],
)
def test_what_starts_has_no_such_line(script: str) -> None:
    made = _estimate(script)
    assert made.status == 0, made.err
    assert "cannot start" not in made.out


def test_a_setting_that_there_is_not_is_named() -> None:
    plain, wrong = _estimate(verl()), _estimate(verl("data.train_batch_sizes=1024"))
    assert wrong.status == 0
    (line,) = _stopped(wrong)
    assert line == (
        f"{STOPPED}there is no data.train_batch_sizes here, nor in any release of verl, {UNSET}; "
        "did you mean data.train_batch_size?"
    )
    assert [one for one in wrong.out.splitlines() if not one.startswith(STOPPED)] == (
        plain.out.splitlines()
    )


def test_an_option_and_an_argument_of_a_program_are_named(tmp_path: Path) -> None:
    (line,) = _stopped(_estimate(f"{TRL} --learning_rte 1e-6\n"))
    assert line.endswith(f"{UNSET}; did you mean --learning_rate?")
    program = (
        "from trl import SFTConfig, SFTTrainer\n"
        "args = SFTConfig(output_dir='o', learning_rte=1e-6)\n"
        "SFTTrainer(model='Qwen/Qwen3-0.6B', args=args, train_dataset=d).train()\n"
    )
    (tmp_path / "train.py").write_text(program)
    (line,) = _stopped(rlbot("estimate", "train.py", "--device", "h100", cwd=tmp_path))
    assert line.endswith(f"{UNSET}; did you mean learning_rate?")
    cell = {"cell_type": "code", "source": program, "metadata": {}, "outputs": []}
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    (tmp_path / "train.ipynb").write_text(notebook)
    made = rlbot("estimate", "train.ipynb", "--device", "h100", cwd=tmp_path)
    assert _stopped(made) == [line]


def test_an_older_name_that_is_read_all_the_same_counts() -> None:
    made = _estimate(f"{TRL.replace('_length', '_seq_length')}\n", "--framework", "trl@1.16.0")
    (line,) = _stopped(made)
    assert "--max_seq_length" in line
    assert UNSET not in line


def test_it_is_said_without_a_prediction_and_without_a_card() -> None:
    made = _estimate("trl sft --modle Qwen/Qwen3-0.6B --dataset_name a\n")
    assert (made.status, len(_stopped(made))) == (3, 1)
    assert UNSET not in made.out
    script = verl("data.train_batch_sizes=1024").encode()
    made = rlbot("estimate", "-", "--stdin-filename", "run.sh", stdin=script)
    assert "nothing says which card" in made.out
    assert len(_stopped(made)) == 1


def test_of_many_the_first_are_named() -> None:
    made = _estimate(f"{TRL} --aa 1 --bb 1 --cc 1 --dd 1 --ee 1\n")
    assert len(_stopped(made)) == 3
    assert "  2 more errors like these: rlbot lint names them\n" in made.out


def test_in_chinese_and_in_json() -> None:
    script = verl("data.train_batch_sizes=1024")
    made = _estimate(script, "--lang", "zh")
    assert "  任务无法启动：这里没有 data.train_batch_sizes" in made.out
    made = _estimate(script, "--format", "json")
    (refusal,) = json.loads(made.out)["scripts"][0]["estimate"]["refusals"]
    assert refusal.startswith("there is no data.train_batch_sizes here")
    made = _estimate(script, "--format", "markdown")
    assert "\n- the launch cannot start: there is no data.train" in made.out
