#!/usr/bin/env bash
set -euo pipefail

trl dpo \
    --model_name_or_path mini/deep \
    --dataset_name data/dpo-1792-256 \
    --max_length 2048 \
    --max_prompt_length 1920 \
    --use_logits_to_keep true \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --dtype bfloat16 \
    --bf16 true \
    --gradient_checkpointing true \
    --max_steps 2 \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --output_dir out-trl-0.23-dpo-full-kept
