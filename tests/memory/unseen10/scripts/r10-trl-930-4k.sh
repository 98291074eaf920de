accelerate launch --use_deepspeed --zero_stage 2 --offload_optimizer_device none --offload_param_device none --mixed_precision bf16 --num_processes 2 -m trl.scripts.sft \
    --model_name_or_path meta-llama/Llama-2-7b-hf \
    --torch_dtype bfloat16 \
    --bf16 true \
    --attn_implementation eager \
    --max_seq_length 4096 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing true \
    --num_train_epochs 3
