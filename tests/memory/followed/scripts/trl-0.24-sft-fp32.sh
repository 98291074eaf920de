#!/usr/bin/env bash
set -euo pipefail

trl sft \
    --model_name_or_path mini/qwen2 \
    --dataset_name data/sft-1024-0 \
    --max_length 1024 \
    --per_device_train_batch_size 2 \
    --dtype float32 \
    --bf16 true \
    --gradient_checkpointing true \
    --max_steps 2 \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --output_dir out-trl-0.24-sft-fp32
