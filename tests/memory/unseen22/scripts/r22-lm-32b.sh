cat > ds.json <<'JSON'
{"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "gradient_clipping": "auto", "zero_allow_untested_optimizer": true, "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 3, "overlap_comm": true, "contiguous_gradients": true, "sub_group_size": 1e9, "reduce_bucket_size": "auto", "stage3_prefetch_bucket_size": "auto", "stage3_param_persistence_threshold": "auto", "stage3_max_live_parameters": 1e9, "stage3_max_reuse_distance": 1e9, "stage3_gather_16bit_weights_on_model_save": true}}
JSON
accelerate launch --num_processes 8 --mixed_precision bf16 --use_deepspeed --deepspeed_config_file ds.json -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2.5-32B-Instruct \
    --torch_dtype bfloat16 \
    --bf16 true \
    --attn_implementation flash_attention_2 \
    --max_seq_length 16384 \
    --packing false \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing true
