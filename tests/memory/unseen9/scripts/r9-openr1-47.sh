accelerate launch --use_deepspeed --zero_stage 3 --offload_optimizer_device cpu --offload_param_device cpu --mixed_precision bf16 --num_processes 8 -m trl.scripts.grpo \
    --model_name_or_path Qwen/Qwen2.5-7B-Instruct \
    --dataset_name custom \
    --max_prompt_length 4096 \
    --max_completion_length 256 \
    --num_generations 8 \
    --per_device_train_batch_size 1 \
    --bf16
