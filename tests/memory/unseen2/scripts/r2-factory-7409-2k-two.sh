accelerate launch --num_processes 1 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2-7B-Instruct \
    --dtype bfloat16 \
    --max_length 2048 \
    --per_device_train_batch_size 2 \
    --gradient_checkpointing true \
    --use_peft \
    --lora_r 8 \
    --lora_alpha 32 \
    --lora_target_modules all-linear
