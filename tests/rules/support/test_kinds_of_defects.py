"""The kinds of defects that verl's published tuning scripts had, each found at its line.

The scripts are our own and hold nothing else. The kinds are those of `examples/tuning/` in verl's
repository from May 2025 to April 2026; what concerns the page is tested with the table.
"""

from __future__ import annotations

import pytest

from bot.rules._support.example import verl
from bot.rules._support.registry import check_context
from tests.rules.helpers import PATH, context

FOLDER = "examples/tuning/7b"
MODEL = "actor_rollout_ref.model.path"
LORA = f"{FOLDER}/qwen2.5-7b_grpo-lora_8_h100_fsdp_vllm.sh"


def ours(*settings: str, before: str = "", end: str = "") -> str:
    """A script that has no defect but those that are put in."""
    given = any("rollout.n=" in setting for setting in settings)
    several = () if given else ("actor_rollout_ref.rollout.n=5",)
    return verl(*several, *settings, before=before, end=end)


KINDS = {
    "a data path from a variable that is never set": (
        ours("data.train_files=$data_path", before="gsm8k_train_path=$HOME/data/gsm8k/a.parquet"),
        PATH,
        ("RLB031", "error", "data.train_files=$data_path"),
    ),
    "a model path that lost its dollar": (
        ours(f"{MODEL}=model_path", before="model_path=Qwen/Qwen2.5-7B-Instruct"),
        PATH,
        ("RLB030", "error", "path=model_path"),
    ),
    "a maximum that the script's own log marks as failing": (
        ours("data.train_batch_size=$((each * 8))", before="each=45 # 32√ → 64× → 44√ → 45×"),
        PATH,
        ("RLB041", "error", "each=45"),
    ),
    "a maximum far below the one that the log shows passing": (
        ours("data.train_batch_size=$((each * 8))", before="each=16 # 64√ → 128× → 100√ → 101×"),
        PATH,
        ("RLB041", "warning", "each=16"),
    ),
    "a name with too many parts": (
        ours(),
        f"{FOLDER}/qwen2.5_7b_grpo_8_h100_fsdp_vllm.sh",
        ("RLB003", "warning", ""),
    ),
    "a name in upper case": (
        ours(),
        f"{FOLDER}/qwen2.5-7B_grpo_8_h100_fsdp_vllm.sh",
        ("RLB003", "warning", ""),
    ),
    "a family that is not the model's": (
        ours(),
        f"{FOLDER}/qwen2-7b_grpo_8_h100_fsdp_vllm.sh",
        ("RLB015", "warning", "model.path="),
    ),
    "a key that no release has": (
        ours("actor_rollout_ref.actor.ppo_minibatch=8"),
        PATH,
        ("RLB020", "error", "ppo_minibatch"),
    ),
    "a key that the newest release removed": (
        ours("trainer.use_legacy_worker_impl=auto"),
        PATH,
        ("RLB028", "warning", "use_legacy"),
    ),
    "a plus on a key that is there": (
        ours("+actor_rollout_ref.rollout.temperature=1.0"),
        PATH,
        ("RLB021", "error", "+actor"),
    ),
    "visible devices that do not fit": (
        ours("actor_rollout_ref.model.lora_rank=32", before="export CUDA_VISIBLE_DEVICES=0,1"),
        LORA,
        ("RLB043", "warning", "export"),
    ),
    "a logger without W&B": (
        ours("trainer.logger=console"),
        PATH,
        ("RLB042", "warning", "trainer.logger"),
    ),
    "a validation set of another data set than its name says": (
        ours("data.val_files=$gsm8k_val", before="gsm8k_val=$HOME/data/math/test.parquet"),
        PATH,
        ("RLB046", "warning", "gsm8k_val="),
    ),
    "GRPO with one response a prompt": (
        ours("actor_rollout_ref.rollout.n=1"),
        PATH,
        ("RLB045", "warning", "rollout.n=1"),
    ),
    "a pipe into tee without pipefail": (
        ours(end=" 2>&1 | tee run.log"),
        PATH,
        ("RLB044", "note", "python3"),
    ),
    "a pinned path of the author's machine": (
        ours(f"{MODEL}=/mnt/bn/wang/models/Qwen2.5-7B-Instruct"),
        PATH,
        ("RLB047", "note", "/mnt/bn"),
    ),
    "a deprecated key": (
        ours("data.val_batch_size=64"),
        PATH,
        ("RLB023", "warning", "val_batch_size"),
    ),
    "the same key twice": (
        ours("data.train_batch_size=64", "data.train_batch_size=128"),
        PATH,
        ("RLB026", "warning", "train_batch_size=128"),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_found_at_its_line(kind: str) -> None:
    script, path, (rule, severity, text) = KINDS[kind]
    line = script[: script.index(text)].count("\n") + 1
    findings, _ = check_context(context(script, path))
    assert (rule, severity, line) in {(one.id, one.severity, one.line) for one in findings}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_else_but_notes_is_found(kind: str) -> None:
    script, path, wanted = KINDS[kind]
    findings, _ = check_context(context(script, path))
    assert {found.id for found in findings if found.severity != "note"} <= {wanted[0]}
