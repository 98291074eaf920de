cat > ds.json <<'JSON'
{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu", "pin_memory": false}, "offload_param": {"device": "none"}}, "bf16": {"enabled": true}, "gradient_clipping": 1.0, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 1}
JSON
accelerate launch --num_processes 8 --mixed_precision bf16 --use_deepspeed --deepspeed_config_file ds.json --parallelism_config_sp_size 2 --parallelism_config_sp_backend deepspeed --parallelism_config_dp_shard_size 4 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen3.5-9B \
    --dtype bfloat16 \
    --bf16 true \
    --attn_implementation flash_attention_2 \
    --max_length 16384 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing true
