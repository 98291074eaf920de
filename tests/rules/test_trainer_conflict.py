from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import trl
from tests.rules.helpers import marked, quiet

SLUG = "trainer-conflict"
DPO = "# trl: 1.16.0\ntrl dpo --model_name_or_path Qwen/Qwen3-8B "
SFT = "trl sft --model_name_or_path Qwen/Qwen3-8B "


@pytest.mark.parametrize(
    "script",
    [
        trl(),
        trl("--generation_batch_size 64"),
        trl("--steps_per_generation 4"),
        trl("--bf16 True", "--fp16 False"),
        trl("--bf16 $BF16", "--fp16 True"),
        trl("--load_in_4bit", "--use_peft"),
        trl("--sync_ref_model", "--beta 0.04"),
        trl("--sync_ref_model", "--beta $BETA"),
        trl("--log_completions_hub_repo me/it", "--log_completions"),
        # A release without the check.
        "# trl: 1.4.0\n" + trl("--auto_find_batch_size"),
        "# trl: 0.26.0\n" + trl("--sync_ref_model"),
        SFT + "--auto_find_batch_size",
        SFT + "--load_best_model_at_end --eval_strategy steps",
        SFT + "--load_best_model_at_end --save_strategy best --metric_for_best_model loss",
        SFT + "--load_best_model_at_end --eval_strategy $E --save_strategy epoch",
        SFT + "--load_best_model_at_end --eval_strategy steps --eval_steps 50 --save_steps 200",
        SFT + "--load_best_model_at_end --config train.yaml",
        # A program of one's own may have a trainer of its own.
        "accelerate launch train_grpo.py --sync_ref_model --beta 0",
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        trl("--generation_batch_size 64", "--steps_per_generation 4"),
        trl("--bf16 True", "--fp16 True"),
        trl("--load_in_4bit", "--load_in_8bit", "--use_peft"),
        "# trl: 1.16.0\n" + trl("--auto_find_batch_size"),
        "# trl: 1.16.0\n" + trl("--log_completions_hub_repo me/it"),
        "# trl: 1.16.0\n" + trl("--sync_ref_model"),
        "# trl: 1.16.0\n" + trl("--sync_ref_model", "--beta 0.04", "--use_peft"),
        DPO + "--sync_ref_model --precompute_ref_log_probs",
        DPO + "--sync_ref_model --use_peft",
        SFT + "--load_best_model_at_end",
        SFT + "--load_best_model_at_end --eval_strategy steps --save_strategy epoch",
        SFT + "--load_best_model_at_end --eval_strategy steps --eval_steps 300 --save_steps 500",
    ],
)
def test_settings_that_exclude_or_need_each_other(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
