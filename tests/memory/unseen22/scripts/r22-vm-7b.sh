accelerate launch --use_deepspeed --zero_stage 3 --offload_optimizer_device none --offload_param_device none --mixed_precision bf16 --num_processes 5 -m trl.scripts.grpo \
    --model_name_or_path Qwen/Qwen2.5-VL-7B-Instruct \
    --torch_dtype bfloat16 \
    --bf16 true \
    --max_prompt_length 4096 \
    --num_generations 5 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing false
