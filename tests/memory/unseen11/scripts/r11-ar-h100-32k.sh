accelerate launch --use_deepspeed --zero_stage 3 --offload_optimizer_device cpu --offload_param_device cpu --mixed_precision bf16 --num_processes 1 -m trl.scripts.sft \
    --model_name_or_path meta-llama/Llama-3.1-8B-Instruct \
    --torch_dtype bfloat16 \
    --bf16 true \
    --attn_implementation flash_attention_2 \
    --max_length 32000 \
    --packing true \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing true
