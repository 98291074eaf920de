#!/usr/bin/env bash
set -euo pipefail

deepspeed --num_gpus 8 --module openrlhf.cli.train_sft \
    --pretrain mini/qwen2 \
    --dataset data/io-512-512 \
    --max_len 1024 \
    --micro_train_batch_size 2 \
    --zero_stage 3 \
    --attn_implementation flash_attention_2 \
    --gradient_checkpointing \
    --input_key input \
    --output_key output \
    --max_samples 64 \
    --train_batch_size 32 \
    --max_epochs 1 \
    --bf16 \
    --save_path out \
    --ckpt_path out
