accelerate launch --config_file deepspeed_zero3.yaml --num_processes 8 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2.5-1.5B-Instruct \
    --torch_dtype bfloat16 \
    --max_length 16384 \
    --per_device_train_batch_size 16 \
    --gradient_checkpointing true \
    --packing true \
    --bf16 true
