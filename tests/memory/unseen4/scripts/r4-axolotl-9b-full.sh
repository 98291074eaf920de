accelerate launch --num_processes 1 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen3.5-9B \
    --dtype bfloat16 \
    --max_length 4096 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 4 \
    --gradient_checkpointing true \
    --bf16 true \
    --optim adamw_bnb_8bit
