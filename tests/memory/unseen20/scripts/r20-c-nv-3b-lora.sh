cat > ds.json <<'JSON'
{"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 2, "allgather_partitions": true, "allgather_bucket_size": 2e8, "overlap_comm": true, "reduce_scatter": true, "reduce_bucket_size": 2e8, "contiguous_gradients": true}, "bf16": {"enabled": true}}
JSON
accelerate launch --num_processes 4 --mixed_precision bf16 --use_deepspeed --deepspeed_config_file ds.json -m trl.scripts.grpo \
    --model_name_or_path Qwen/Qwen2.5-3B-Instruct \
    --dtype bfloat16 \
    --bf16 true \
    --per_device_train_batch_size 2 \
    --gradient_accumulation_steps 4 \
    --num_generations 4 \
    --max_completion_length 128 \
    --gradient_checkpointing true \
    --use_vllm false \
    --beta 0.02 \
    --temperature 0.8 \
    --learning_rate 5e-7 \
    --use_peft \
    --lora_r 32 \
    --lora_alpha 64 \
    --lora_dropout 0.05 \
    --lora_target_modules q_proj k_proj v_proj o_proj gate_proj up_proj down_proj
