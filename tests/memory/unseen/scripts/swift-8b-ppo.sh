accelerate launch --config_file deepspeed_zero3.yaml --num_processes 8 -m trl.scripts.ppo \
    --model_name_or_path meta-llama/Llama-3.1-8B-Instruct \
    --dtype bfloat16 \
    --max_length 2048 \
    --per_device_train_batch_size 1 \
    --gradient_checkpointing true \
    --reward_model_path Skywork/Skywork-Reward-Llama-3.1-8B-v0.2 \
    --response_length 512
