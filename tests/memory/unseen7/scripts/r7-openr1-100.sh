accelerate launch --use_deepspeed --zero_stage 3 --offload_optimizer_device none --offload_param_device none --mixed_precision bf16 --num_processes 8 -m trl.scripts.grpo \
    --output_dir DeepSeek-R1-Distill-Qwen-7B-GRPO \
    --model_name_or_path deepseek-ai/DeepSeek-R1-Distill-Qwen-7B \
    --dataset_name AI-MO/NuminaMath-TIR \
    --max_prompt_length 256 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 16 \
    --logging_steps 10 \
    --bf16
