cat > dpo.yaml <<'J'
model_name: Qwen/Qwen2.5-0.5B-Instruct
sft_adapter_path: outputs/sft_lora_qwen05b_custom_v3_from_v1_patch
dpo_file: data/processed/dpo_larger_v6_train.jsonl
eval_file: data/processed/dpo_larger_v6_eval.jsonl
output_dir: outputs/dpo_lora_qwen05b_naive_v6
max_length: 384
max_prompt_length: 160
per_device_train_batch_size: 1
per_device_eval_batch_size: 1
gradient_accumulation_steps: 4
learning_rate: 8.0e-6
num_train_epochs: 1
beta: 0.08
logging_steps: 5
eval_steps: 24
save_steps: 200
separate_ref_model: true
J
python train.py --config dpo.yaml --local_files_only
