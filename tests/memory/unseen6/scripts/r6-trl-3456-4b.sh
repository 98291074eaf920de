accelerate launch --num_processes 1 -m trl.scripts.grpo \
    --model_name_or_path Qwen/Qwen3-4B \
    --max_prompt_length 2048 \
    --max_completion_length 1024 \
    --num_generations 4 \
    --per_device_train_batch_size 4
