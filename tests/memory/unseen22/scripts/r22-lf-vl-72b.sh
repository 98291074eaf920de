accelerate launch --use_deepspeed --zero_stage 3 --offload_optimizer_device none --offload_param_device none --mixed_precision bf16 --num_processes 4 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2-VL-72B-Instruct \
    --torch_dtype bfloat16 \
    --bf16 true \
    --attn_implementation sdpa \
    --max_seq_length 2048 \
    --per_device_train_batch_size 1 \
    --per_device_eval_batch_size 1 \
    --gradient_accumulation_steps 2 \
    --gradient_checkpointing true
