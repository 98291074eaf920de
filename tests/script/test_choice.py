"""Which launches count on a device, and what stays open."""

from __future__ import annotations

import pytest

from bot.base.device_words import vendor_of
from bot.base.devices import Vendor
from bot.script.choice import LaunchChoice, device_of, vendors_asked
from bot.script.name import read_name
from tests.rules.helpers import context

TRAIN = "python3 -m verl.trainer.main_ppo data.train_batch_size=$B\n"
BOTH = "B=1024; else B=16; fi\n" + TRAIN
H100 = "7b/qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"
ASCEND = "7b/qwen2.5-7b_grpo_8_910b_fsdp_vllm.sh"
NOWHERE = "7b/run_qwen3_8b_fsdp.sh"


def chosen(text: str, path: str) -> LaunchChoice:
    return context(text, path).choice


def batches(text: str, path: str) -> list[int | None]:
    return [plan.train_batch_size.value for plan in chosen(text, path).plans]


@pytest.mark.parametrize(
    "condition",
    [
        "! python3 -c 'import torch_npu' 2>/dev/null",
        '[ "$(python3 -c "import torch_npu" && echo npu || echo gpu)" = gpu ]',
        "! command -v npu-smi >/dev/null",
        "! which npu-smi",
        "! npu-smi info >/dev/null",
        "[ ! -e /dev/davinci0 ]",
        '[ "$DEVICE" != npu ]',
        '[[ $DEVICE != "npu" ]]',
        '[ "$DEVICE" = gpu ]',
        "nvidia-smi >/dev/null 2>&1",
        "command -v nvidia-smi",
        "python3 -c 'import torch; assert torch.cuda.is_available()'",
    ],
)
def test_the_launch_of_the_device_counts(condition: str) -> None:
    text = f"if {condition}; then {BOTH}"
    assert batches(text, H100) == [1024]
    assert batches(text, ASCEND) == [16]
    assert sorted(map(str, batches(text, NOWHERE))) == ["1024", "16"]
    assert len(chosen(text, NOWHERE).open()) == 2


@pytest.mark.parametrize(
    "condition",
    [
        '[ -f "$INPUT" ]',
        '[ "$TASK" = sft ]',
        "python3 -c 'import flash_attn'",
        "grep -q input file.txt",
        '[ "$MODE" = fast ]',
        "command -v uv",
    ],
)
def test_a_device_says_nothing_of_another_question(condition: str) -> None:
    choice = chosen(f"if {condition}; then {BOTH}", H100)
    assert sorted(str(plan.train_batch_size.value) for plan in choice.plans) == ["1024", "16"]
    assert choice.reason() is None
    assert len(choice.open()) == 2


def test_a_case_on_the_device() -> None:
    text = f"case $DEVICE in\n gpu) B=1024;;\n npu) B=16;;\n *) exit 1;;\nesac\n{TRAIN}"
    assert batches(text, H100) == [1024]
    assert batches(text, ASCEND) == [16]


def test_the_comment_counts_before_the_name() -> None:
    text = f"# device: 910b\nif python3 -c 'import torch_npu'; then B=16; else B=1024; fi\n{TRAIN}"
    assert batches(text, H100) == [16]
    assert chosen(text, H100).reason() == "the script's comment says 910b"
    other = text.replace("910b", "whatever fits")
    assert chosen(other, H100).reason() == "the script's name says h100"


@pytest.mark.parametrize(
    ("lines", "path", "device"),
    [
        ("#SBATCH --gres=gpu:h200:8", NOWHERE, "h200"),
        ("#SBATCH --gres=gpu:h200:8", H100, "h100"),
        ("#SBATCH --gres=gpu:h200:8\n# device: h800", NOWHERE, "h800"),
        ("#SBATCH --gres=gpu:h200:8", "7b/run_qwen3_8b_gpu.sh", "h200"),  # The name says a maker.
        ("#SBATCH --gres=gpu:h200:8", "7b/run_qwen3_8b_npu.sh", "npu"),
        ("##SBATCH --gres=gpu:h200:8", NOWHERE, None),
        ("set -e\n#SBATCH --gres=gpu:h200:8", NOWHERE, None),
        ("cat <<EOF\n#SBATCH --gres=gpu:h200:8\nEOF", NOWHERE, None),
    ],
)
def test_what_is_asked_of_slurm_counts_last(lines: str, path: str, device: str | None) -> None:
    assert chosen(f"#!/bin/bash\n{lines}\nB=8\n{TRAIN}", path).device == device


def test_the_card_that_slurm_gives_rules_launches_out() -> None:
    text = f"if python3 -c 'import torch_npu'; then B=16; else B=1024; fi\n{TRAIN}"
    text = f"#!/bin/bash\n#SBATCH --gres=gpu:h200:8\n{text}"
    assert batches(text, NOWHERE) == [1024]
    assert chosen(text, NOWHERE).reason() == "the script's #SBATCH lines ask for h200"


def test_the_card_of_a_job_counts_where_nothing_else_says_it() -> None:
    job = "hf jobs run --flavor h200x8 image python3 -m verl.trainer.main_ppo a=1\n"
    assert chosen(job, NOWHERE).device == "h200"
    assert chosen(job, H100).device == "h100"
    assert chosen(f"#!/bin/bash\n#SBATCH --gres=gpu:l4:8\n{job}", NOWHERE).device == "l4"
    text = f"if python3 -c 'import torch_npu'; then A=x; else A=y; fi\n{job.strip()} b=$A\n"
    assert len(chosen(text, NOWHERE).plans) == 1
    assert chosen(text, NOWHERE).reason() == "the script's --flavor asks for h200"


def test_launches_one_after_the_other_all_count() -> None:
    text = f"B=8\n{TRAIN}B=16\n{TRAIN}"
    assert batches(text, H100) == [8, 16]
    assert chosen(text, H100).open() == ()


def test_what_a_row_does_not_say_is_not_open() -> None:
    text = f"if [ -f x ]; then L=a; else L=b; fi\nB=8\n{TRAIN.strip()} trainer.experiment_name=$L\n"
    assert len(chosen(text, NOWHERE).plans) == 2
    assert chosen(text, NOWHERE).open() == ()


def test_where_the_device_rules_out_all_launches_they_count() -> None:
    text = f"B=8\nif python3 -c 'import torch_npu'; then\n{TRAIN}fi\n"
    assert batches(text, H100) == [8]
    assert chosen(text, H100).reason() is None


def test_words_that_look_alike_ask_nothing() -> None:
    assert vendors_asked("=\0fast") == frozenset()
    assert vendors_asked("-e\0/dev/input/event0") == frozenset()
    assert vendors_asked("\2`npu-check` succeeds") == frozenset()
    assert vendors_asked("which\0npu-smi") == {Vendor.ASCEND}


def test_makers() -> None:
    names = ("h100", "mi300x", "910b", "npu", "gpu", "NVIDIA H100 80GB HBM3", "", "abacus")
    assert [vendor_of(name) for name in names] == [
        Vendor.NVIDIA, Vendor.AMD, Vendor.ASCEND, Vendor.ASCEND, Vendor.NVIDIA, Vendor.NVIDIA,
        None, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "device"),
    [
        ("t4.sh", None),  # A fourth try.
        ("runs/run_t4.sh", None),
        ("l4.slurm", None),
        ("exp_t4_l4.sh", None),
        ("a100.sh", "a100"),
        ("run_h20.sh", "h20"),
        ("qwen3-4b_t4.sh", "t4"),
        ("train_kaggle_t4.sh", "t4"),
    ],
)
def test_a_name_that_is_one_word_and_a_number_may_count_tries(
    path: str, device: str | None
) -> None:
    assert device_of(read_name(path)) == device
