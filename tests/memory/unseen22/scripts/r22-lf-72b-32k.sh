cat > ds.json <<'JSON'
{"bf16": {"enabled": true}, "optimizer": {"type": "AdamW", "params": {"lr": "auto", "weight_decay": "auto", "torch_adam": true, "adam_w_mode": true}}, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu", "pin_memory": true}, "offload_param": {"device": "cpu", "pin_memory": true}, "overlap_comm": true, "contiguous_gradients": true, "reduce_bucket_size": "auto", "stage3_prefetch_bucket_size": "auto", "stage3_param_persistence_threshold": "auto", "sub_group_size": 1e9, "stage3_max_live_parameters": 1e9, "stage3_max_reuse_distance": 1e9, "stage3_gather_16bit_weights_on_model_save": true}, "gradient_accumulation_steps": "auto", "train_micro_batch_size_per_gpu": "auto"}
JSON
accelerate launch --num_machines 16 --num_processes 128 --mixed_precision bf16 --use_deepspeed --deepspeed_config_file ds.json -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2-72B \
    --torch_dtype bfloat16 \
    --bf16 true \
    --attn_implementation sdpa \
    --packing true \
    --max_seq_length 32768 \
    --per_device_train_batch_size 1 \
    --gradient_checkpointing true
