accelerate launch --config_file deepspeed_zero3.yaml --num_processes 7 -m trl.scripts.sft \
    --model_name_or_path deepseek-ai/DeepSeek-R1-Distill-Qwen-32B \
    --dtype bfloat16 \
    --max_length 1024 \
    --per_device_train_batch_size 1 \
    --gradient_checkpointing true \
    --bf16 true
