#!/bin/bash
python train.py \
    --model-name Qwen/Qwen3-32B \
    --train-file data/ultrafeedback_dpo_train.jsonl \
    --eval-file data/ultrafeedback_dpo_val.jsonl \
    --output-dir checkpoints/qwen3-ultrafeedback-dpo \
    --beta 0.1 \
    --lora-r 64 \
    --lora-alpha 128 \
    --lora-dropout 0.05 \
    --learning-rate 5e-7 \
    --epochs 3 \
    --batch-size 2 \
    --gradient-accumulation-steps 8 \
    --max-seq-length 4096 \
    --max-prompt-length 2048 \
    --seed 42
