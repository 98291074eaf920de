#!/usr/bin/env bash
set -euo pipefail

trl rloo \
    --model_name_or_path mini/qwen2 \
    --dataset_name data/prompts-64-0 \
    --per_device_train_batch_size 4 \
    --num_generations 4 \
    --max_completion_length 256 \
    --reward_model_name_or_path mini/qwen2 \
    --dtype bfloat16 \
    --bf16 true \
    --gradient_checkpointing true \
    --use_peft \
    --lora_r 16 \
    --lora_alpha 32 \
    --lora_target_modules all-linear \
    --max_steps 2 \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --output_dir out-trl-1.9-rloo-lora
