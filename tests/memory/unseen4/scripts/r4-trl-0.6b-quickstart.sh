accelerate launch --num_processes 1 -m trl.scripts.sft \
    --model_name_or_path Qwen/Qwen3-0.6B \
    --dataset_name trl-lib/Capybara
