accelerate launch --use_deepspeed --zero_stage 3 --offload_optimizer_device none --offload_param_device none --mixed_precision bf16 --num_processes 8 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2.5-7B-Instruct \
    --torch_dtype bfloat16 \
    --bf16 true \
    --attn_implementation sdpa \
    --max_seq_length 32768 \
    --packing false \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 16 \
    --gradient_checkpointing true
