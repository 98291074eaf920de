#!/usr/bin/env bash
set -euo pipefail

trl sft \
    --model_name_or_path meta-llama/Llama-3.2-1B-Instruct \
    --dataset_name data/sft-32768-0 \
    --max_length 32768 \
    --per_device_train_batch_size 1 \
    --dtype bfloat16 \
    --max_steps 2 \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --output_dir out
