accelerate launch --use_deepspeed --zero_stage 3 --offload_optimizer_device cpu --offload_param_device cpu --num_processes 8 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen3-4B-Instruct-2507 \
    --dtype bfloat16 \
    --max_length 262144 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 2 \
    --gradient_checkpointing true \
    --bf16 true
