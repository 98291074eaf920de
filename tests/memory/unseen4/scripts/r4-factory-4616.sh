accelerate launch --num_machines 16 --config_file deepspeed_zero3.yaml --num_processes 128 -m trl.scripts.dpo \
    --model_name_or_path Qwen/Qwen2-72B-Instruct \
    --dtype bfloat16 \
    --max_length 6144 \
    --per_device_train_batch_size 1 \
    --gradient_checkpointing true \
    --bf16 true
