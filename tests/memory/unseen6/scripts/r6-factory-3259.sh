accelerate launch --use_deepspeed --zero_stage 3 --offload_optimizer_device cpu --offload_param_device cpu --num_processes 8 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen1.5-32B-Chat \
    --dtype bfloat16 \
    --attn_implementation flash_attention_2 \
    --max_length 32768 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing true \
    --bf16 true
