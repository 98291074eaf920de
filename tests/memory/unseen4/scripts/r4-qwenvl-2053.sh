accelerate launch --num_machines 4 --config_file deepspeed_zero2.yaml --num_processes 32 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen3-VL-30B-A3B-Instruct \
    --dtype bfloat16 \
    --max_length 8192 \
    --per_device_train_batch_size 1 \
    --gradient_checkpointing true \
    --bf16 true
