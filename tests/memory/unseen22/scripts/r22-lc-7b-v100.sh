accelerate launch --use_fsdp --fsdp_version 1 --fsdp_sharding_strategy FULL_SHARD --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP --fsdp_transformer_layer_cls_to_wrap LlamaDecoderLayer --fsdp_offload_params false --fsdp_activation_checkpointing true --mixed_precision fp16 --num_processes 8 -m trl.scripts.sft \
    --model_name_or_path meta-llama/Llama-2-7b-hf \
    --torch_dtype float32 \
    --fp16 true \
    --attn_implementation eager \
    --max_seq_length 2048 \
    --packing true \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing false
