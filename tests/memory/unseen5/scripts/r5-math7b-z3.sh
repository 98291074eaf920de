accelerate launch --use_deepspeed --zero_stage 3 --num_processes 2 -m trl.scripts.sft \
    --model_name_or_path deepseek-ai/deepseek-llm-7b-base \
    --dtype bfloat16 \
    --max_length 512 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing false \
    --bf16 true
