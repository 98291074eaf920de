accelerate launch --use_fsdp --fsdp_version 2 --num_processes 8 -m trl.scripts.sft \
    --model_name_or_path openai/gpt-oss-20b \
    --attn_implementation eager \
    --torch_dtype bfloat16 \
    --learning_rate 2.0e-5 \
    --gradient_checkpointing true \
    --per_device_train_batch_size 2 \
    --gradient_accumulation_steps 1 \
    --max_length 4096 \
    --packing true
