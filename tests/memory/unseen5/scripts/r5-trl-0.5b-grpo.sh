accelerate launch --num_processes 1 -m trl.scripts.grpo \
    --model_name_or_path Qwen/Qwen2.5-0.5B-Instruct \
    --dataset_name trl-lib/DeepMath-103K \
    --max_completion_length 1024
