accelerate launch --use_deepspeed --zero_stage 1 --num_processes 8 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen3-VL-8B-Instruct \
    --dtype bfloat16 \
    --bf16 true \
    --attn_implementation flash_attention_2 \
    --max_length 8192 \
    --learning_rate 1e-5 \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 8 \
    --gradient_checkpointing true
