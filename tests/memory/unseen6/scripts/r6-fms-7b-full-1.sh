accelerate launch --num_processes 1 -m trl.scripts.sft \
    --model_name_or_path mistralai/Mistral-7B-v0.1 \
    --torch_dtype bfloat16 \
    --attn_implementation flash_attention_2 \
    --max_seq_length 4096 \
    --packing true \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 1 \
    --gradient_checkpointing true \
    --max_steps 100
