accelerate launch --config_file deepspeed_zero3.yaml --num_processes 1 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen3-8B \
    --dtype bfloat16 \
    --max_length 3000 \
    --per_device_train_batch_size 1 \
    --gradient_checkpointing true \
    --packing true
