"""Engines of vLLM's that a program makes beside its trainer, as judges of what it writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.memory.printed import printed_program

PROGRAM = """\
import torch
from trl import GRPOConfig, GRPOTrainer
{start}

{made}
args = GRPOConfig(
    output_dir="out", num_generations=4, per_device_train_batch_size=4, max_completion_length=256,
    bf16=True,
)
GRPOTrainer(
    model="Qwen/Qwen2.5-1.5B-Instruct", reward_funcs=judged, args=args, train_dataset=rows
).train()
"""
VLLM = "from vllm import LLM, SamplingParams"
TWO = 'one = LLM("a/b", gpu_memory_utilization=0.25)\ntwo = LLM("c/d", gpu_memory_utilization=0.28)'


def program(folder: Path, made: str, start: str = VLLM, gpus: int = 1) -> dict[str, Any]:
    path = folder / "program"
    path.with_suffix(".txt").write_text(PROGRAM.format(made=made, start=start))
    options = ("--device", "a100", "--gpus", str(gpus), "--framework", "trl@1.2.0")
    return printed_program(path, *options)


def held(made: dict[str, Any]) -> list[float]:
    """Share of each card that other engines hold while the model is updated."""
    updates = (one for one in made["stages"] if one["stage"] == "update")
    return [round(float(one["components"].get("other engines", 0.0)) / 80, 2) for one in updates]


@pytest.mark.parametrize(
    ("made", "share"),
    [
        (TWO, 0.53),
        ("SHARE = 0.3\njudge = LLM('a/b', gpu_memory_utilization=SHARE)", 0.3),
        ("judge = LLM('a/b')", 0.9),
        ("judge = LLM('a/b', gpu_memory_utilization=share())", 0.9),
        ("", 0.0),
        ("judge = LLM('a/b', gpu_memory_utilization=0.5)\n" * 100, 0.0),
        ("judge = LLM('a/b', gpu_memory_utilization=" + "-" * 400 + "0.5)", 0.9),
        ("judge = LLM('a/b', gpu_memory_utilization=0.3)\nprint(judge)\ndel judge", 0.0),
        ("def judged(texts):\n    return LLM('a/b').generate(texts)", 0.0),
    ],
)
def test_they_hold_their_shares_of_the_card(tmp_path: Path, made: str, share: float) -> None:
    assert held(program(tmp_path, made)) == [share]


def test_a_class_of_that_name_may_be_another(tmp_path: Path) -> None:
    assert held(program(tmp_path, TWO, start="from own import LLM")) == [0]


def test_of_several_cards_they_are_on_the_first(tmp_path: Path) -> None:
    assert held(program(tmp_path, TWO, gpus=2)) == [0.53, 0]


def test_of_several_processes_nobody_says_who_makes_them(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/train.txt").write_text(PROGRAM.format(made=TWO, start=VLLM))
    (tmp_path / "own/run.sh").write_text("accelerate launch --num_processes 2 train.py\n")
    made = printed_program(tmp_path / "own", "--device", "a100", "--framework", "trl@1.2.0")
    assert held(made) == [0]


def test_they_make_nothing_impossible_and_torch_reports_none_of_them(tmp_path: Path) -> None:
    made, alone = program(tmp_path, "judge = LLM('a/b')"), program(tmp_path, "")
    assert (made["outcome"], alone["outcome"]) == ("likely OOM", "fits")
    assert made["allocated"] == alone["allocated"]
