#!/usr/bin/env bash
set -euo pipefail

trl dpo \
    --model_name_or_path Qwen/Qwen2.5-3B-Instruct \
    --dataset_name data/dpo-512-3584 \
    --max_length 4096 \
    --per_device_train_batch_size 8 \
    --dtype bfloat16 \
    --max_steps 2 \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --output_dir out
