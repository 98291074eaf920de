#!/usr/bin/env bash
set -euo pipefail

trl dpo \
    --model_name_or_path Qwen/Qwen2.5-3B-Instruct \
    --dataset_name data/dpo-512-1536 \
    --max_length 2048 \
    --per_device_train_batch_size 4 \
    --dtype bfloat16 \
    --gradient_checkpointing false \
    --max_steps 2 \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --output_dir out
