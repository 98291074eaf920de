accelerate launch --use_fsdp --fsdp_sharding_strategy FULL_SHARD --mixed_precision no --num_processes 2 -m trl.scripts.sft \
    --model_name_or_path mistralai/Mixtral-8x7B-Instruct-v0.1 \
    --torch_dtype bfloat16 \
    --attn_implementation flash_attention_2 \
    --max_seq_length 4096 \
    --packing true \
    --per_device_train_batch_size 2 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing true \
    --max_steps 100
