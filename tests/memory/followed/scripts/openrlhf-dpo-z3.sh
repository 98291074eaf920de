#!/usr/bin/env bash
set -euo pipefail

deepspeed --num_gpus 8 --module openrlhf.cli.train_dpo \
    --pretrain mini/qwen2 \
    --dataset data/dpo-256-768 \
    --max_len 1024 \
    --micro_train_batch_size 1 \
    --zero_stage 3 \
    --attn_implementation flash_attention_2 \
    --gradient_checkpointing \
    --prompt_key prompt \
    --chosen_key chosen \
    --rejected_key rejected \
    --max_samples 64 \
    --train_batch_size 32 \
    --max_epochs 1 \
    --bf16 \
    --save_path out \
    --ckpt_path out
