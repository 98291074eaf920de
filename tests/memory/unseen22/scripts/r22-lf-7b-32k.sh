cat > ds.json <<'JSON'
{"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "gradient_clipping": "auto", "zero_allow_untested_optimizer": true, "fp16": {"enabled": false}, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3, "allgather_partitions": true, "reduce_scatter": true, "overlap_comm": false, "contiguous_gradients": true}}
JSON
accelerate launch --num_processes 4 --mixed_precision bf16 --use_deepspeed --deepspeed_config_file ds.json -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen1.5-7B \
    --torch_dtype bfloat16 \
    --bf16 true \
    --attn_implementation flash_attention_2 \
    --packing true \
    --max_seq_length 32768 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing true
