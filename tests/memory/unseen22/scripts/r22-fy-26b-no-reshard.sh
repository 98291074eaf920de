accelerate launch --use_fsdp --fsdp_version 2 --fsdp_reshard_after_forward false --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP --fsdp_transformer_layer_cls_to_wrap Gemma4TextDecoderLayer --fsdp_cpu_ram_efficient_loading false --mixed_precision bf16 --num_processes 8 --parallelism_config_dp_shard_size 4 --parallelism_config_cp_size 2 -m trl.scripts.sft \
    --model_name_or_path google/gemma-4-26B-A4B-it \
    --dtype bfloat16 \
    --bf16 true \
    --attn_implementation flash_attention_2 \
    --max_length 16384 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing false
