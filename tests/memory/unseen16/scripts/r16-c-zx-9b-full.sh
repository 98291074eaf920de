python -m trl.scripts.grpo \
    --model_name_or_path Qwen/Qwen3.5-9B \
    --max_steps 20 \
    --max_completion_length 1024 \
    --num_generations 4 \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 1 \
    --learning_rate 5e-6 \
    --use_vllm false
