cat > ds.json <<'JSON'
{"bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu", "pin_memory": false}, "offload_param": {"device": "cpu", "pin_memory": false}, "overlap_comm": false, "contiguous_gradients": true, "sub_group_size": 1e8, "reduce_bucket_size": 5e7, "stage3_prefetch_bucket_size": 5e7, "stage3_param_persistence_threshold": "auto", "stage3_max_live_parameters": 1e8, "stage3_max_reuse_distance": 1e9, "stage3_gather_16bit_weights_on_model_save": true}, "gradient_accumulation_steps": "auto", "gradient_clipping": "auto", "train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto"}
JSON
accelerate launch --num_processes 8 --mixed_precision bf16 --use_deepspeed --deepspeed_config_file ds.json --parallelism_config_sp_size 2 --parallelism_config_sp_backend deepspeed --parallelism_config_dp_shard_size 4 -m trl.scripts.sft \
    --model_name_or_path google/gemma-4-26B-A4B-it \
    --dtype bfloat16 \
    --bf16 true \
    --attn_implementation flash_attention_3 \
    --max_length 16384 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 16 \
    --gradient_checkpointing true
