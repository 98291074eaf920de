accelerate launch --config_file deepspeed_zero2.yaml --num_processes 8 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen1.5-7B \
    --max_length 512 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --fp16 True \
    --gradient_checkpointing True \
    --dtype float16
