python3 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen3-4B \
    --dtype bfloat16 \
    --bf16 true \
    --attn_implementation sdpa \
    --max_length 32768 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --loss_type nll \
    --gradient_checkpointing true
