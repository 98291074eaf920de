accelerate launch --num_processes 1 -m trl.scripts.dpo \
    --model_name_or_path Qwen/Qwen2.5-0.5B-Instruct \
    --dataset_name trl-lib/ultrafeedback_binarized \
    --per_device_train_batch_size 8 \
    --max_length 1024 \
    --max_prompt_length 512
