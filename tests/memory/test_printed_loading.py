"""A model that a program puts on the GPU whole before ZeRO or FSDP divide it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.memory.shapes.models import find
from tests.command import Result, rlbot

PROGRAM = """\
import torch
from peft import LoraConfig
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer
model = AutoModelForCausalLM.from_pretrained("{name}", {given})
args = SFTConfig(max_length=512, per_device_train_batch_size=1, bf16=True, deepspeed="ds.json")
SFTTrainer(model=model, args=args, peft_config=LoraConfig(r=8)).train()
"""
SCRIPT = """\
cat > ds.json <<J
{"zero_optimization": {"stage": STAGE}, "bf16": {"enabled": true}}
J
accelerate launch --num_processes 8 train.py
"""
MODEL = find("Qwen2.5-7B")
assert MODEL is not None
WEIGHTS = MODEL.shape.parameters / 2**30
TYPE = "dtype=torch.float32, "
BITS = "quantization_config=BitsAndBytesConfig(load_in_4bit=True), "


def made(
    folder: Path,
    given: str,
    stage: int = 3,
    name: str = "Qwen/Qwen2.5-7B",
    command: str = "estimate",
) -> Result:
    (folder / "train.py").write_text(PROGRAM.format(name=name, given=given))
    (folder / "run.sh").write_text(SCRIPT.replace("STAGE", str(stage)))
    release = ("--framework", "trl@0.26.2")
    return rlbot(command, "run.sh", "--root", ".", "--device", "h100", *release, cwd=folder)


@pytest.mark.parametrize("where", ["'cuda'", "{'': int(os.environ.get('LOCAL_RANK', 0))}", "0"])
@pytest.mark.parametrize("stage", [2, 3])
def test_it_is_there_whole_in_the_type_that_it_is_loaded_in(
    tmp_path: Path, where: str, stage: int
) -> None:
    """Soup's run of 8B in fp32 by ZeRO-3 showed 34 GiB of a card, and 5 were expected."""
    told = made(tmp_path, f"{TYPE}device_map={where}", stage).out
    assert f"loading: weights {4 * WEIGHTS:.1f}, " in told
    assert "the whole model on each GPU first, as device_map has it" in told
    half = made(tmp_path, f"dtype=torch.bfloat16, device_map={where}", stage).out
    assert f"loading  {2 * WEIGHTS + 0.4:>9.1f}" in half


@pytest.mark.parametrize(
    "given", [TYPE, f"{TYPE}device_map=None", f"{TYPE}device_map='cpu'", f"{BITS}device_map='cuda'"]
)
def test_one_on_the_host_or_in_four_bits_is_not(tmp_path: Path, given: str) -> None:
    told = made(tmp_path, given).out
    assert "loading" not in told
    assert "expected" in told


def test_without_anything_that_divides_it_loading_is_no_stage(tmp_path: Path) -> None:
    assert "loading" not in made(tmp_path, f"{TYPE}device_map='cuda'", 0).out


def test_one_that_is_too_large_is_an_error_that_says_what_to_leave_out(tmp_path: Path) -> None:
    given = "dtype=torch.bfloat16, device_map='cuda'"
    found = made(tmp_path, given, name="Qwen/Qwen2.5-72B", command="lint")
    assert "the loading stage needs at least 135.8 GiB of each GPU" in found.out
    assert "leave device_map out: the model is then loaded on the host, and divided" in found.out
    assert found.status == 1
