"""`rlbot estimate` of programs: settings are named as the program writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import rlbot

PROGRAM = """
import argparse
from peft import LoraConfig
from trl import DPOConfig, DPOTrainer
p = argparse.ArgumentParser()
p.add_argument("--bs", type=int, default=8)
a = p.parse_args()
args = DPOConfig(output_dir="o", per_device_train_batch_size=a.bs, max_length=1024)
DPOTrainer(model="Qwen/Qwen3-0.6B", args=args, train_dataset=d, peft_config=LoraConfig()).train()
"""
OPTIONS = "trl dpo --model_name_or_path Qwen/Qwen3-0.6B --dataset_name d --use_peft --bf16 True\n"


@pytest.mark.parametrize("given", [["train.py"], ["train.py", "--args", "--bs 8"], ["run.sh"]])
def test_a_program_is_told_its_arguments(given: list[str], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "run.sh").write_text("python train.py --bs 8\n")
    out = rlbot("estimate", *given, "--device", "3090", cwd=tmp_path).out
    (helps,) = [line for line in out.splitlines() if "would help most" in line]
    assert "half of per_device_train_batch_size (" in helps
    assert "use_liger_kernel=True (" in helps
    assert "--" not in helps
    assert "  on already: gradient_checkpointing=True\n" in out


def test_a_command_line_is_told_its_options(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(OPTIONS)
    out = rlbot("estimate", "run.sh", "--device", "3090", "--gpus", "1", cwd=tmp_path).out
    assert "half of --per_device_train_batch_size (" in out
    assert "--use_liger_kernel (" in out


CLASSES = """
from dataclasses import dataclass
from trl import SFTConfig, SFTTrainer, TrlParser
@dataclass
class Args:
    model: str = "Qwen/Qwen3-0.6B"
    data: str = "d"
args, config = TrlParser((Args, SFTConfig)).parse_args_and_config()
SFTTrainer(model=args.model, args=config).train()
"""


@pytest.mark.parametrize(
    ("written", "help_"),
    [
        ("--modle Qwen/Qwen3-4B", "did you mean --model?"),
        ("--dtaa x", "did you mean --data?"),
        ("--max_lenght 5", "did you mean --max_length?"),
        ("--xyz 5", "remove the setting"),
    ],
)
def test_an_option_of_the_program_itself_is_suggested(
    written: str, help_: str, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(CLASSES)
    (tmp_path / "run.sh").write_text(f"python train.py --output_dir out {written}\n")
    out = rlbot("lint", "run.sh", cwd=tmp_path).out
    assert "error    RLB020" in out
    assert f"\n     │ {help_}\n" in out


def test_where_torchs_level_is_above_the_stages_the_line_says_why(tmp_path: Path) -> None:
    """That of QLoRA has a wider share: of a large pass it may be above."""
    quantized = OPTIONS.strip().replace("0.6B", "4B") + " --load_in_4bit --max_length 1024"
    said = "by a share of its own that is wider than the stage's"
    for batch, wider in ((32, True), (1, False)):
        (tmp_path / "run.sh").write_text(f"{quantized} --per_device_train_batch_size {batch}\n")
        out = rlbot("estimate", "run.sh", "--device", "3090", "--gpus", "1", cwd=tmp_path).out
        assert "  torch reports" in out
        assert (said in out) is wider
