#!/usr/bin/env bash
set -euo pipefail

trl grpo \
    --model_name_or_path Qwen/Qwen2.5-0.5B-Instruct \
    --dataset_name data/prompts-64-0 \
    --per_device_train_batch_size 8 \
    --num_generations 8 \
    --max_completion_length 512 \
    --dtype bfloat16 \
    --reward_funcs rewards.constant \
    --max_steps 2 \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --output_dir out
