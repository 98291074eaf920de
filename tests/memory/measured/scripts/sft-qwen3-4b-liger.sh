#!/usr/bin/env bash
set -euo pipefail

trl sft \
    --model_name_or_path Qwen/Qwen3-4B \
    --dataset_name data/sft-4096-0 \
    --max_length 4096 \
    --per_device_train_batch_size 8 \
    --dtype bfloat16 \
    --use_liger_kernel \
    --max_steps 2 \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --output_dir out
