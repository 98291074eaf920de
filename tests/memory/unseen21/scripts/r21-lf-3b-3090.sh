accelerate launch --use_deepspeed --zero_stage 2 --offload_optimizer_device none --mixed_precision bf16 --num_processes 4 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2.5-3B-Instruct \
    --torch_dtype bfloat16 \
    --bf16 true \
    --attn_implementation sdpa \
    --max_seq_length 512 \
    --packing false \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing true
