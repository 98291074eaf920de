#!/usr/bin/env bash
set -euo pipefail

trl dpo \
    --model_name_or_path mini/qwen2 \
    --dataset_name data/dpo-256-768 \
    --max_length 1024 \
    --per_device_train_batch_size 1 \
    --dtype bfloat16 \
    --bf16 true \
    --use_peft \
    --lora_r 16 \
    --lora_alpha 32 \
    --lora_target_modules all-linear \
    --load_in_4bit true \
    --gradient_checkpointing true \
    --max_steps 2 \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --output_dir out-trl-1.9-dpo-qlora
