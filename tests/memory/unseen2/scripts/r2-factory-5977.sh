accelerate launch --config_file deepspeed_zero3.yaml --num_processes 8 -m trl.scripts.sft \
    --model_name_or_path meta-llama/Meta-Llama-3-8B-Instruct \
    --max_length 1024 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 2 \
    --gradient_checkpointing true
