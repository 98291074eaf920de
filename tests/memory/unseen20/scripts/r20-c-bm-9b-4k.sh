export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
accelerate launch --use_fsdp --fsdp_version 1 --fsdp_sharding_strategy FULL_SHARD --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP --fsdp_state_dict_type FULL_STATE_DICT --fsdp_use_orig_params true --fsdp_offload_params false --fsdp_cpu_ram_efficient_loading true --fsdp_sync_module_states true --mixed_precision bf16 --num_machines 1 --num_processes 8 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen3.5-9B \
    --dtype bfloat16 \
    --bf16 true \
    --max_length 4096 \
    --packing true \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 16 \
    --gradient_checkpointing true \
    --learning_rate 1e-5 \
    --num_train_epochs 1
