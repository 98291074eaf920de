accelerate launch --config_file deepspeed_zero2.yaml --num_processes 2 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2-VL-2B-Instruct \
    --dtype float16 \
    --max_length 512 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 4 \
    --gradient_checkpointing true \
    --fp16 true
