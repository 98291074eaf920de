accelerate launch --config_file deepspeed_zero2.yaml --num_processes 4 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2.5-Omni-7B \
    --dtype bfloat16 \
    --max_length 4096 \
    --per_device_train_batch_size 1 \
    --gradient_checkpointing true \
    --packing true \
    --use_liger_kernel true
