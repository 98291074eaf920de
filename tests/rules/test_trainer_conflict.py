from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import trl
from tests.rules.helpers import marked, quiet

SLUG = "trainer-conflict"
DPO = "# trl: 1.16.0\ntrl dpo --model_name_or_path Qwen/Qwen3-8B "
KTO = "# trl: 1.16.0\ntrl kto --model_name_or_path Qwen/Qwen3-8B "
VESPO = "# trl: 1.16.0\ntrl grpo --model_name_or_path Qwen/Qwen3-8B --use_vllm --loss_type vespo "
REWARDED = (
    "# trl: 1.16.0\ntrl grpo --model_name_or_path Qwen/Qwen3-8B"
    " --reward_funcs accuracy_reward my.own.reward "
)
ZERO3 = (
    "# trl: {}\naccelerate launch --use_deepspeed --zero_stage {} -m trl.scripts.{} "
    "--model_name_or_path Qwen/Qwen3-8B --precompute_ref_log_probs"
)
PRESET = ZERO3.replace("--use_deepspeed --zero_stage {}", "--config_file a/deepspeed_{}.yaml")
SFT = "trl sft --model_name_or_path Qwen/Qwen3-8B "
FSDP = (
    "# trl: 1.16.0\naccelerate launch --use_fsdp --fsdp_activation_checkpointing {} "
    "--num_processes {} -m trl.scripts.sft --model_name_or_path Qwen/Qwen3-8B "
)
QLORA = (
    "# trl: 1.16.0\naccelerate launch --use_fsdp --fsdp_version {} --num_processes {} "
    "-m trl.scripts.sft --model_name_or_path Qwen/Qwen3-8B --use_peft "
)


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
        SFT + "--padding_free --packing",
        SFT + "--padding_free --packing $PACKING",
        "# trl: 0.29.1\n" + SFT + "--padding_free",
        "# trl: 1.12.0\n" + SFT + "--use_liger_kernel",
        "# trl: 1.16.0\n" + SFT + "--lora_target_modules q_proj lm_head",
        "# trl: 1.3.0\n" + SFT + "--use_peft --lora_target_modules lm_head",
        DPO + "--loss_type exo_pair --label_smoothing 0.001",
        DPO + "--loss_type exo_pair --label_smoothing $S",
        DPO + "--loss_type sigmoid --use_weighting",
        DPO + "--loss_type ipo --f_divergence_type js_divergence",
        DPO + "--loss_type sigmoid sft --loss_weights 1.0 0.5 --use_liger_kernel",
        DPO + "--precompute_ref_log_probs --use_liger_kernel",
        ZERO3.format("0.29.0", 3, "dpo"),
        ZERO3.format("0.28.0", 2, "dpo"),
        ZERO3.format("1.3.0", 3, "kto"),
        ZERO3.format("0.28.0", "$STAGE", "dpo"),
        PRESET.format("0.28.0", "zero2", "dpo"),
        KTO + "--per_device_train_batch_size 2",
        KTO.replace("1.16", "1.6") + "--sync_ref_model --use_peft",
        "# trl: 1.16.0\ntrl rloo --model_name_or_path Qwen/Qwen3-8B --sync_ref_model",
        KTO + "--per_device_train_batch_size 1 --loss_type apo_zero_unpaired",
        "# trl: 1.16.0\n" + trl("--use_liger_kernel", "--top_entropy_quantile 0.2"),
        "# trl: 1.9.2\n" + trl("--use_liger_kernel", "--importance_sampling_level sequence"),
        "# trl: 1.16.0\n" + trl("--loss_type vespo", "--use_vllm false"),
        VESPO + "--vllm_importance_sampling_mode token_mask",
        VESPO + "--vllm_importance_sampling_correction false",
        REWARDED + "--reward_weights 1 0.5",
        REWARDED + "--reward_weights $WEIGHTS",
        REWARDED + "--reward_model_name_or_path me/reward --reward_weights 1 1 1",
        FSDP.format("true", 8) + "--gradient_checkpointing false",
        FSDP.format("true", 8) + "--no_gradient_checkpointing",
        FSDP.format("true", 8) + "--activation_checkpointing false",
        FSDP.format("true", 8) + "--gradient_checkpointing $IT",
        FSDP.format("true", 1) + "--gradient_checkpointing true",
        FSDP.format("false", 8) + "--gradient_checkpointing true",
        FSDP.format("$IT", 8) + "--gradient_checkpointing true",
        FSDP.format("true", 8).replace("--use_fsdp", "--use_deepspeed"),
        QLORA.format(2, 8) + "--load_in_4bit",
        QLORA.format(1, 1) + "--load_in_4bit",
        QLORA.format(1, 8) + "--load_in_8bit",
        QLORA.format(1, 8) + "--load_in_4bit --bnb_4bit_quant_storage float32",
        QLORA.format(1, 8) + "--load_in_4bit --dtype bfloat16 --bnb_4bit_quant_storage bfloat16",
        QLORA.format(1, 8) + "--load_in_4bit --dtype auto",
        QLORA.format(1, 8) + "--load_in_4bit --bnb_4bit_quant_storage $TYPE",
        QLORA.replace("1.16", "0.25").format(1, 8) + "--load_in_4bit",
        # A program of one's own may have a trainer of its own.
        "# trl: 1.16.0\naccelerate launch train_sft.py --padding_free true",
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
        "# trl: 1.0.0\n" + SFT + "--padding_free",
        "# trl: 1.14.0\n" + SFT + "--loss_type chunked_nll --use_liger_kernel",
        "# trl: 1.16.0\n" + SFT + "--use_peft --lora_target_modules q_proj lm_head",
        "# trl: 1.8.0\n" + SFT + "--use_peft --lora_target_modules q_proj lm_head",
        DPO + "--loss_type exo_pair",
        DPO + "--loss_type aot --use_weighting",
        DPO + "--loss_type apo_zero --f_divergence_type js_divergence",
        DPO + "--loss_type sigmoid sft --loss_weights 1.0",
        DPO.replace("1.16", "1.13") + "--precompute_ref_log_probs --use_liger_kernel",
        DPO.replace("1.16", "1.5") + "--use_peft --use_liger_kernel",
        DPO.replace("1.16.0", "0.24.0") + "--loss_type ipo --use_liger_loss",
        KTO + "--sync_ref_model --use_peft",
        "# trl: 1.16.0\ntrl rloo --model_name_or_path Qwen/Qwen3-8B --sync_ref_model --beta 0",
        ZERO3.format("0.28.0", 3, "dpo"),
        ZERO3.format("1.2.0", 3, "kto"),
        PRESET.format("0.28.0", "zero3", "dpo"),
        KTO + "--per_device_train_batch_size 1",
        KTO + "--train_sampling_strategy random",
        KTO.replace("1.16", "1.13") + "--desirable_weight 1.5 --use_liger_kernel",
        "# trl: 1.13.0\n" + trl("--use_liger_kernel", "--top_entropy_quantile 0.2"),
        "# trl: 0.29.1\n" + trl("--use_liger_kernel", "--importance_sampling_level sequence"),
        "# trl: 1.3.0\n" + trl("--use_liger_kernel", "--delta 2.0"),
        VESPO,
        REWARDED + "--reward_weights 1",
        REWARDED + "--reward_model_name_or_path me/reward --reward_weights 1 1",
        FSDP.format("true", 8),
        FSDP.format("True", 8) + "--gradient_checkpointing",
        FSDP.format("true", 8) + "--activation_checkpointing --gradient_checkpointing false",
        FSDP.format("true", "$N"),
        QLORA.format(1, 8) + "--load_in_4bit",
        QLORA.format(1, 8) + "--load_in_4bit --dtype bfloat16",
        QLORA.format(1, 8) + "--load_in_4bit --dtype float16 --bnb_4bit_quant_storage bfloat16",
    ],
)
def test_settings_that_exclude_or_need_each_other(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
