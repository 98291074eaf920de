accelerate launch --config_file deepspeed_zero3.yaml --num_processes 8 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2.5-14B \
    --dtype bfloat16 \
    --max_length 8192 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 2 \
    --gradient_checkpointing true \
    --packing true
