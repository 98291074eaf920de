"""Values of which the script says a part: what the machine, or the caller, put in is no claim."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.report import Claim, JsonValue
from tests.runs.console import openrlhf_log, verl_log
from tests.runs.recipe import RunRecipe

VERL = """set -e
ROOT="$(cd "$(dirname "$0")/.." && pwd)"
python3 -m verl.trainer.main_ppo data.train_files=$ROOT/data/train.parquet \\
    trainer.default_local_dir=$SCRATCH_DIR/out data.val_files=$HOME/val.parquet
"""
OPENRLHF = """python3 -m openrlhf.cli.train_ppo_ray --pretrain Qwen/Qwen2.5-7B --zero_stage 3 \\
    --save_path $SCRATCH_DIR/out --use_wandb $WANDB_API_KEY --prompt_data $HOME/prompts.jsonl
"""
KEY = "0123456789abcdef0123456789abcdef01234567"


def claims(
    tmp_path: Path, script: str, config: dict[str, Any], write: Callable[..., str] = verl_log
) -> dict[str, Claim]:
    log = tmp_path / "train.log"
    log.write_text(write(RunRecipe(config=config)), encoding="utf-8")
    found = check_script(
        ScriptFile(path="scripts/run.sh", data=script.encode()),
        CheckOptions(evidence="required"),
        run=log,
    ).evidence
    assert found is not None
    return {claim.claim: claim for claim in found.claims}


@pytest.mark.parametrize(
    ("key", "value", "verdict"),
    [
        ("train_files", "/root/project/data/train.parquet", "consistent"),
        ("train_files", "/root/project/data/other.parquet", "inconsistent"),
        ("val_files", "/home/ada/val.parquet", "consistent"),
        ("val_files", "/home/ada/validation.parquet", "inconsistent"),
        ("train_files", "/mnt/ssd/data/train.parquet", "consistent"),
        ("val_files", "/mnt/ssd/val.parquet", "consistent"),
    ],
)
def test_folders_of_the_machine(tmp_path: Path, key: str, value: JsonValue, verdict: str) -> None:
    config = {"data": {key: value}, "trainer": {"default_local_dir": "/scratch/ada/out"}}
    found = claims(tmp_path, VERL, config)
    assert found[f"data.{key}"].verdict == verdict
    assert found["trainer.default_local_dir"].verdict == "inconclusive"


def test_variables_that_the_caller_sets(tmp_path: Path) -> None:
    config = {
        "pretrain": "Qwen/Qwen2.5-7B",
        "zero_stage": 3,
        "save_path": "/scratch/ada/out",
        "use_wandb": KEY,
        "prompt_data": "/home/ada/prompts.jsonl",
    }
    found = claims(tmp_path, OPENRLHF, config, openrlhf_log)
    assert found["save_path"].verdict == found["use_wandb"].verdict == "inconclusive"
    assert found["use_wandb"].observed == "***"
    assert found["prompt_data"].verdict == "consistent"
    config["prompt_data"] = "/home/ada/others.jsonl"
    other = claims(tmp_path, OPENRLHF, config, openrlhf_log)
    assert other["prompt_data"].verdict == "inconsistent"


def test_a_key_is_not_compared_with_what_stands_for_one(tmp_path: Path) -> None:
    """`--use_wandb True` takes the key of whoever is logged in."""
    script = OPENRLHF.replace("--use_wandb $WANDB_API_KEY", "--use_wandb True")
    config = {"pretrain": "Qwen/Qwen2.5-7B", "zero_stage": 3, "use_wandb": KEY}
    found = claims(tmp_path, script, config, openrlhf_log)["use_wandb"]
    assert (found.verdict, found.observed) == ("inconclusive", "***")
    assert found.reason == "A key is each user's own: it is not compared."


def test_training_without_rollouts_claims_none(tmp_path: Path) -> None:
    config = {"pretrain": "x/y-7b", "zero_stage": 3, "train_batch_size": 32, "dataset": "a/b"}
    script = "deepspeed --module openrlhf.cli.train_dpo --pretrain x/y-7b --train_batch_size 32\n"
    found = claims(tmp_path, script, config, write=openrlhf_log)
    assert found["train batch"].verdict == found["train backend"].verdict == "consistent"
    assert not {"mini batch", "inference engine", "rollout n"} & found.keys()
    assert "without rollouts logs no lengths" in found["steps without OOM"].reason
