#!/usr/bin/env bash
set -euo pipefail

trl sft \
    --model_name_or_path mini/qwen2 \
    --dataset_name data/sft-1024-0 \
    --max_length 1024 \
    --per_device_train_batch_size 2 \
    --dtype bfloat16 \
    --use_peft \
    --lora_r 16 \
    --lora_alpha 32 \
    --lora_target_modules all-linear \
    --gradient_checkpointing false \
    --accelerate_config zero2 \
    --num_processes 8 \
    --loss_type nll \
    --max_steps 2 \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --output_dir out-trl-1.9-z2-lora-plain
