cat > dpo.yaml <<'J'
model_name: Qwen/Qwen2.5-0.5B-Instruct
sft_adapter_path: outputs/sft_lora_qwen05b_custom_v3_from_v1_patch
dpo_file: data/processed/dpo_candidate_v5_train.jsonl
eval_file: data/processed/dpo_candidate_v5_eval.jsonl
output_dir: outputs/dpo_lora_qwen05b_candidate_v5
max_length: 256
max_prompt_length: 128
per_device_train_batch_size: 1
per_device_eval_batch_size: 1
gradient_accumulation_steps: 4
learning_rate: 1.5e-5
num_train_epochs: 1
beta: 0.1
logging_steps: 2
eval_steps: 2
save_steps: 200
J
python train.py --config dpo.yaml --local_files_only
