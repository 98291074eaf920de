accelerate launch --config_file deepspeed_zero3.yaml --num_processes 4 -m trl.scripts.dpo \
    --model_name_or_path Qwen/Qwen2.5-VL-7B-Instruct \
    --dtype bfloat16 \
    --bf16 true \
    --attn_implementation flash_attention_2 \
    --max_length 8192 \
    --padding_free true \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing true
