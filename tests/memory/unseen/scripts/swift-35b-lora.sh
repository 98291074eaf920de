accelerate launch --config_file deepspeed_zero3.yaml --num_processes 4 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen3.5-35B-A3B \
    --dtype bfloat16 \
    --max_length 2048 \
    --per_device_train_batch_size 4 \
    --gradient_checkpointing true \
    --use_peft \
    --lora_r 8 \
    --lora_alpha 32 \
    --lora_target_modules all-linear
