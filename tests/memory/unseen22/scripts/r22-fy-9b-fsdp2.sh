accelerate launch --use_fsdp --fsdp_version 2 --fsdp_reshard_after_forward true --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP --fsdp_transformer_layer_cls_to_wrap Qwen3_5DecoderLayer --fsdp_activation_checkpointing true --mixed_precision bf16 --num_processes 8 --parallelism_config_dp_shard_size 4 --parallelism_config_cp_size 2 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen3.5-9B \
    --dtype bfloat16 \
    --bf16 true \
    --attn_implementation flash_attention_2 \
    --max_length 16384 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing false
