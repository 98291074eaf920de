cat > ds.json <<'JSON'
{"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 3}, "bf16": {"enabled": true, "bf16_master_weights_and_grads": true, "bf16_optimizer_states": true}}
JSON
accelerate launch --num_processes 8 --mixed_precision bf16 --use_deepspeed --deepspeed_config_file ds.json --parallelism_config_sp_size 8 --parallelism_config_sp_backend deepspeed --parallelism_config_dp_shard_size 1 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen3-8B \
    --dtype bfloat16 \
    --bf16 true \
    --attn_implementation sdpa \
    --packing true \
    --max_length 16384 \
    --pad_to_multiple_of 8 \
    --per_device_train_batch_size 2 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing true \
    --gradient_checkpointing_kwargs '{"use_reentrant": false}' \
    --optim adamw_torch
