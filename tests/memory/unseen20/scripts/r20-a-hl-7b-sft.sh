accelerate launch --use_fsdp --fsdp_version 2 --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP --fsdp_reshard_after_forward true --fsdp_activation_checkpointing true --fsdp_cpu_ram_efficient_loading true --fsdp_state_dict_type FULL_STATE_DICT --mixed_precision bf16 --num_processes 4 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen2.5-Coder-7B-Instruct \
    --bf16 true \
    --attn_implementation sdpa \
    --max_length 4096 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 8 \
    --gradient_checkpointing false \
    --learning_rate 1e-5
