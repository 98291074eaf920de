python3 -m trl.scripts.sft \
    --model_name_or_path meta-llama/Llama-2-7b-hf \
    --torch_dtype bfloat16 \
    --bf16 true \
    --gradient_checkpointing true \
    --optim adafactor \
    --max_seq_length 512 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 4 \
    --learning_rate 2e-5
