accelerate launch --num_processes 1 -m trl.scripts.dpo \
    --model_name_or_path Qwen/Qwen2.5-0.5B-Instruct \
    --dataset_name trl-lib/ultrafeedback_binarized \
    --bf16 true \
    --per_device_train_batch_size 4 \
    --max_length 512 \
    --precompute_ref_log_probs false \
    --max_steps 3
