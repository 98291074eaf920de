cat > ds.json <<'JSON'
{"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 3, "overlap_comm": true, "contiguous_gradients": true, "reduce_bucket_size": 5e7, "stage3_prefetch_bucket_size": 5e7, "stage3_param_persistence_threshold": 1e5, "offload_optimizer": {"device": "cpu", "pin_memory": true}, "offload_param": {"device": "cpu", "pin_memory": true}}, "bf16": {"enabled": true}}
JSON
accelerate launch --num_processes 4 --mixed_precision bf16 --use_deepspeed --deepspeed_config_file ds.json -m trl.scripts.grpo \
    --model_name_or_path Qwen/Qwen2.5-3B-Instruct \
    --dtype bfloat16 \
    --bf16 true \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 8 \
    --num_generations 4 \
    --max_completion_length 128 \
    --gradient_checkpointing true \
    --use_vllm false \
    --beta 0.02 \
    --temperature 0.8 \
    --learning_rate 5e-7
