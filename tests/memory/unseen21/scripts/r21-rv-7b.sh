accelerate launch --use_deepspeed --zero_stage 3 --offload_optimizer_device none --offload_param_device none --mixed_precision bf16 --num_processes 4 -m trl.scripts.grpo \
    --model_name_or_path Qwen/Qwen2.5-VL-7B-Instruct \
    --max_prompt_length 512 \
    --max_completion_length 512 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 2 \
    --bf16 true \
    --gradient_checkpointing false \
    --attn_implementation flash_attention_2 \
    --num_generations 4
