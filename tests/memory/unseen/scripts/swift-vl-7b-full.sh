accelerate launch --config_file deepspeed_zero3.yaml --num_processes 4 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2.5-VL-7B-Instruct \
    --dtype bfloat16 \
    --max_length 2048 \
    --per_device_train_batch_size 4 \
    --gradient_checkpointing true \
    --padding_free true \
    --use_liger_kernel true
