accelerate launch --config_file deepspeed_zero3.yaml --num_processes 4 -m trl.scripts.grpo \
    --model_name_or_path Qwen/Qwen2.5-VL-3B-Instruct \
    --torch_dtype bfloat16 \
    --max_prompt_length 1024 \
    --num_generations 4 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 2 \
    --gradient_checkpointing true \
    --attn_implementation flash_attention_2 \
    --bf16 true
