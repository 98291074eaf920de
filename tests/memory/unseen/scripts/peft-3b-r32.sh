accelerate launch --num_processes 1 -m trl.scripts.sft \
    --model_name_or_path meta-llama/Llama-3.2-3B \
    --dtype bfloat16 \
    --per_device_train_batch_size 4 \
    --max_length 768 \
    --gradient_checkpointing false \
    --use_peft \
    --lora_r 32 \
    --lora_target_modules q_proj v_proj
