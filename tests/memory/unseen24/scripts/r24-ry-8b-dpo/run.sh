cat > DPO_config.yaml <<'J'
model_name: "meta-llama/Meta-Llama-3.1-8B-Instruct"
adapter_name: "results/test"
dataset_path: "./data"
max_length: 2048
max_prompt_length: 1536
output_dir: "./results/dpo-reuse"
report_to: "wandb"
run_name: "dpo-with-sft-adapter"
learning_rate: 5e-7
lr_scheduler_type: "cosine_with_min_lr"
lr_scheduler_kwargs:
  min_lr_rate: 0.1
num_train_epochs: 2
per_device_train_batch_size: 4
per_device_eval_batch_size: 4
gradient_accumulation_steps: 2
do_eval: true
eval_strategy: "epoch"
optim: "adamw_torch_fused"
logging_steps: 100
save_strategy: "epoch"
weight_decay: 0.01
max_grad_norm: 0.5
warmup_ratio: 0.06
bf16: true
tf32: true
gradient_checkpointing: true
dataloader_num_workers: 4
remove_unused_columns: false
beta: 0.1
padding_free: true
model_adapter_name: "policy"
ref_adapter_name: "reference"
J
python train.py --config DPO_config.yaml
