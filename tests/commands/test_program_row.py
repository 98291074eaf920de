"""The row of a program that trains with TRL says what the estimate of the same launch says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import rlbot

PROGRAM = """import argparse

from datasets import load_dataset
from trl import DPOConfig, DPOTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="Qwen/Qwen2.5-0.5B-Instruct")
parser.add_argument("--batch", type=int, default=4)
args = parser.parse_args()
config = DPOConfig(
    output_dir="out",
    per_device_train_batch_size=args.batch,
    gradient_accumulation_steps=2,
    max_length=1024,
    gradient_checkpointing=CHECKPOINTING,
)
trainer = DPOTrainer(
    model=args.model,
    args=config,
    train_dataset=load_dataset("trl-lib/ultrafeedback_binarized", split="train"),
)
trainer.train()
"""
ONE = "One GPU is taken, since no launcher starts more processes."
TO_LAUNCHER = "Give it to the launcher as a number, such as accelerate launch --num_processes 8."
OFFLOADED = (
    "accelerate launch --num_processes 4 --use_deepspeed --zero_stage 3 --offload_param_device cpu "
    "--offload_optimizer_device cpu dpo.py"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "dpo.py").write_text(PROGRAM.replace("CHECKPOINTING", "True"))
    (tmp_path / "kept.py").write_text(PROGRAM.replace("CHECKPOINTING", "False"))
    return tmp_path


def row_of(folder: Path, command: str) -> str:
    """What `verify` says of the row of a script of one command, or of a program."""
    path = command
    if not command.endswith(".py") or " " in command:
        path = "run.sh"
        (folder / path).write_text(f"{command}\n")
    return rlbot("verify", path, "--device", "h100", cwd=folder).out


@pytest.mark.parametrize("command", ["dpo.py", "python dpo.py --batch 2"])
def test_a_program_without_a_launcher_has_one_gpu(folder: Path, command: str) -> None:
    said = row_of(folder, command)
    assert "RECOMMENDED · Qwen2.5-0.5B · DPO · 1*H100 · MaxBatch open" in said
    assert ONE in said
    assert "nodes and GPUs per node" not in said
    assert "do not tell whether" not in said


def test_checkpointing_that_is_off_is_said(folder: Path) -> None:
    said = row_of(folder, "kept.py")
    assert "leave parameter offload, optimizer offload and gradient checkpointing off" in said


def test_what_a_launcher_leaves_open_is_to_be_said_to_it(folder: Path) -> None:
    said = row_of(folder, "accelerate launch dpo.py")
    assert (
        f"The number of GPUs is unknown because the settings do not give it. {TO_LAUNCHER}" in said
    )
    assert "do not tell whether parameter offload and optimizer offload are on" in said


def test_offload_by_a_launchers_options_is_read(folder: Path) -> None:
    said = row_of(folder, OFFLOADED)
    assert "MIN · Qwen2.5-0.5B · DPO · 4*H100 · MaxBatch open · deepspeed" in said
    assert ONE not in said


def test_a_file_of_deepspeed_that_is_not_read_leaves_offload_open(folder: Path) -> None:
    start = "accelerate launch --num_processes 4 --use_deepspeed --deepspeed_config_file"
    said = row_of(folder, f"{start} ds_zero3.json dpo.py")
    assert "do not tell whether parameter offload and optimizer offload are on" in said


def test_a_launch_of_verl_is_told_of_its_own_settings(folder: Path) -> None:
    model = "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B"
    said = row_of(folder, f"python3 -m verl.trainer.main_ppo {model} trainer.nnodes=$NODES")
    assert "give it. Write nodes and GPUs per node as numbers." in said
