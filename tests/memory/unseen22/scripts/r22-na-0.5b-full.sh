python -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2.5-0.5B-Instruct \
    --dtype bfloat16 \
    --bf16 true \
    --max_length 512 \
    --packing false \
    --per_device_train_batch_size 4 \
    --per_device_eval_batch_size 8 \
    --eval_strategy steps \
    --gradient_accumulation_steps 4
