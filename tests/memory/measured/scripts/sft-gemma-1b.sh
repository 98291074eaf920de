#!/usr/bin/env bash
set -euo pipefail

trl sft \
    --model_name_or_path google/gemma-3-1b-it \
    --dataset_name data/sft-2048-0 \
    --max_length 2048 \
    --per_device_train_batch_size 8 \
    --dtype bfloat16 \
    --max_steps 2 \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --output_dir out
