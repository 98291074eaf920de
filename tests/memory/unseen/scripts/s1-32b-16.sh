torchrun --nnodes 2 --nproc-per-node 8 -m trl.scripts.sft \
    --max_length 32768 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --model_name_or_path Qwen/Qwen2.5-32B-Instruct \
    --fsdp "full_shard auto_wrap" \
    --fsdp_config fsdp_config_qwen.json \
    --bf16 True \
    --gradient_checkpointing True
