accelerate launch --num_processes 1 -m trl.scripts.dpo \
    --model_name_or_path Qwen/Qwen2.5-1.5B \
    --dtype bfloat16 \
    --bf16 true \
    --max_length 1024 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 16 \
    --gradient_checkpointing true \
    --beta 0.1
